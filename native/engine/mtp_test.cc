// The head's guesses against a scalar reading of the published formula, on small random models: other loops, double precision, no pages. And what a
// file must have of a head.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>

#include "native/base/test.h"
#include "native/engine/engine.h"
#include "native/engine/tiny_model_test_builder.h"
#include "native/model/forward.h"

namespace codicil::model {
namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

// Tensors of the file in plain f64.
class Plain {
 public:
  Plain(const Gguf& gguf, const std::string& path) : gguf_(gguf), path_(path) {}
  Rows matrix(const std::string& name) const {
    const GgufTensor* tensor = gguf_.find_tensor(name);
    if (tensor == nullptr || tensor->type->type != kernels::Type::f32) std::abort();
    Rows out(static_cast<std::size_t>(tensor->rows()), Row(static_cast<std::size_t>(tensor->cols())));
    std::vector<float> values(static_cast<std::size_t>(tensor->cols()));
    std::ifstream file(path_, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(tensor->offset));
    for (Row& row : out) {
      file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
      std::copy(values.begin(), values.end(), row.begin());
    }
    return out;
  }
  Row vector(const std::string& name) const { return matrix(name)[0]; }

 private:
  const Gguf& gguf_;
  const std::string path_;
};

double dot(const Row& x, const Row& y) { return std::inner_product(x.begin(), x.end(), y.begin(), 0.0); }
Row times(const Rows& matrix, const Row& x) {
  Row out;
  for (const Row& row : matrix) out.push_back(dot(row, x));
  return out;
}
Row normed(const Row& x, const Row& weight, double eps) {
  const double scale = 1 / std::sqrt(dot(x, x) / static_cast<double>(x.size()) + eps);
  Row out;
  for (std::size_t i = 0; i < x.size(); ++i) out.push_back(x[i] * scale * weight[i]);
  return out;
}
void add(Row& x, const Row& y, double scale = 1) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += scale * y[i];
}
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
Row mlp(const Rows& gate, const Rows& up, const Rows& down, const Row& in) {
  const Row g = times(gate, in), u = times(up, in);
  Row inner;
  for (std::size_t i = 0; i < g.size(); ++i) inner.push_back(g[i] * sigmoid(g[i]) * u[i]);
  return times(down, inner);
}
// One expert's rows of a tensor that has those of all.
Rows part(const Rows& all, std::size_t index, std::size_t count) {
  const auto rows = static_cast<std::ptrdiff_t>(all.size() / count), at = static_cast<std::ptrdiff_t>(index) * rows;
  return {all.begin() + at, all.begin() + at + rows};
}

// The head over pairs (token, hidden state before it), as one sequence.
class Head {
 public:
  Head(const ModelConfig& config, const Plain& plain) : c_(config), p_(plain), b_("blk." + std::to_string(config.layers) + ".") {}

  struct Out {
    Row logits, hidden;  // of the last pair
  };
  Out run(const std::vector<Token>& tokens, const Rows& hidden) const {
    const Rows embedding = p_.matrix("token_embd.weight");
    Rows x;
    for (std::size_t s = 0; s < tokens.size(); ++s) {
      Row both = normed(embedding[static_cast<std::size_t>(tokens[s])], own("nextn.enorm"), c_.rms_eps);
      const Row h = normed(hidden[s], own("nextn.hnorm"), c_.rms_eps);
      both.insert(both.end(), h.begin(), h.end());
      x.push_back(times(matrix("nextn.eh_proj"), both));
    }
    Row last = x.back();
    add(last, attention(x));
    add(last, feed_forward(normed(last, own("post_attention_norm"), c_.rms_eps)));
    const Row out = normed(last, own("nextn.shared_head_norm"), c_.rms_eps);
    return {times(c_.tied_embeddings ? embedding : p_.matrix("output.weight"), out), out};
  }

 private:
  Rows matrix(const std::string& name) const { return p_.matrix(b_ + name + ".weight"); }
  Row own(const std::string& name) const { return p_.vector(b_ + name + ".weight"); }

  Row rotated(Row head, std::size_t position) const {
    const auto half = static_cast<std::size_t>(c_.rope_dims / 2);
    for (std::size_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(position) * std::pow(c_.rope_base, -2.0 * static_cast<double>(i) / c_.rope_dims);
      const double a = head[i], b = head[i + half];
      head[i] = a * std::cos(angle) - b * std::sin(angle);
      head[i + half] = a * std::sin(angle) + b * std::cos(angle);
    }
    return head;
  }

  // What attention gives for the last row.
  Row attention(const Rows& x) const {
    const auto dim = static_cast<std::ptrdiff_t>(c_.head_dim);
    const Row norm = own("attn_norm"), q_norm = own("attn_q_norm"), k_norm = own("attn_k_norm");
    const Rows k = matrix("attn_k"), v = matrix("attn_v");
    std::vector<Rows> keys(static_cast<std::size_t>(c_.kv_heads)), values(keys.size());  // [kv head][position]
    for (std::size_t s = 0; s < x.size(); ++s) {
      const Row in = normed(x[s], norm, c_.rms_eps), all_k = times(k, in), all_v = times(v, in);
      for (std::size_t head = 0; head < keys.size(); ++head) {
        const auto at = static_cast<std::ptrdiff_t>(head) * dim;
        keys[head].push_back(rotated(normed({all_k.begin() + at, all_k.begin() + at + dim}, k_norm, c_.rms_eps), s));
        values[head].emplace_back(all_v.begin() + at, all_v.begin() + at + dim);
      }
    }
    const Row query = times(matrix("attn_q"), normed(x.back(), norm, c_.rms_eps));
    Row mixed;
    for (std::size_t head = 0; head < static_cast<std::size_t>(c_.heads); ++head) {
      const auto at = query.begin() + static_cast<std::ptrdiff_t>(head) * 2 * dim;
      const Row asked = rotated(normed({at, at + dim}, q_norm, c_.rms_eps), x.size() - 1);
      const std::size_t kv_head = head / static_cast<std::size_t>(c_.heads / c_.kv_heads);
      double sum = 0;
      Row out(static_cast<std::size_t>(dim));
      for (std::size_t s = 0; s < x.size(); ++s) {
        const double weight = std::exp(dot(asked, keys[kv_head][s]) / std::sqrt(static_cast<double>(dim)));
        add(out, values[kv_head][s], weight);
        sum += weight;
      }
      for (std::ptrdiff_t i = 0; i < dim; ++i) mixed.push_back(out[static_cast<std::size_t>(i)] / sum * sigmoid(*(at + dim + i)));
    }
    return times(matrix("attn_output"), mixed);
  }

  Row feed_forward(const Row& in) const {
    if (c_.experts.count == 0) return mlp(matrix("ffn_gate"), matrix("ffn_up"), matrix("ffn_down"), in);
    const auto count = static_cast<std::size_t>(c_.experts.count);
    Row scores = times(matrix("ffn_gate_inp"), in), chosen(count), out(in.size());
    double sum = 0;
    for (std::int64_t n = 0; n < c_.experts.used; ++n) {
      const auto best = static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
      chosen[best] = std::exp(scores[best]);
      sum += chosen[best];
      scores[best] = -INFINITY;
    }
    const Rows gate = matrix("ffn_gate_exps"), up = matrix("ffn_up_exps"), down = matrix("ffn_down_exps");
    for (std::size_t e = 0; e < count; ++e)
      if (chosen[e] > 0) add(out, mlp(part(gate, e, count), part(up, e, count), part(down, e, count), in), chosen[e] / sum);
    add(out, mlp(matrix("ffn_gate_shexp"), matrix("ffn_up_shexp"), matrix("ffn_down_shexp"), in), sigmoid(dot(own("ffn_gate_inp_shexp"), in)));
    return out;
  }

  const ModelConfig& c_;
  const Plain& p_;
  const std::string b_;
};

double distance(const Row& expected, const std::vector<float>& found) {
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    error = std::max(error, std::abs(expected[i] - static_cast<double>(found[i])));
  }
  return error / largest;
}

std::vector<Token> some_tokens(Token count) {
  std::vector<Token> out;
  for (Token i = 0; i < count; ++i) out.push_back((i * 37 + 11) % 256);
  return out;
}

// One sequence of less than a page, as the engine would keep it.
struct Sequence {
  Sequence(const ModelConfig& config, Forward& of)
      : forward(of),
        embedding(config.embedding),
        page(AlignedBuffer::allocate(Forward::page_shape(config, 0).page_bytes()).value()),
        recurrent(static_cast<std::size_t>(config.recurrent_floats())) {}
  void run(const std::vector<Token>& tokens, std::int64_t first, std::int64_t count, std::int64_t drafted = 0) {
    Batch batch;
    batch.tokens.assign(tokens.begin() + first, tokens.begin() + first + count);
    Run run;
    run.count = count;
    run.first_position = first;
    run.pages = {page.data()};
    run.recurrent = recurrent.data();
    run.drafted = drafted;
    draft_log.resize(static_cast<std::size_t>(forward.draft_log_floats(drafted)));
    run.draft_log = draft_log.data();
    batch.runs.push_back(run);
    for (std::int64_t i = 0; i < count; ++i) batch.wanted.push_back(i);
    hidden.resize(static_cast<std::size_t>((first + count) * embedding));
    CHECK_OK(forward.run(batch, hidden.data() + first * embedding));
  }
  Forward& forward;
  const std::int64_t embedding;
  AlignedBuffer page;
  std::vector<float> recurrent, hidden, draft_log;  // hidden: [tokens, embedding]
};

// The file with one name changed to another of the same length.
void rename_in_file(const std::string& path, const std::string& from, const std::string& to) {
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at)) bytes.replace(at, to.size(), to);
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

CODICIL_TEST(the_head_computes_what_its_formula_says_for_the_first_guess_and_for_those_after_it) {
  for (const char* architecture : {"qwen35", "qwen35moe"}) {
    test::TinyShape shape{architecture, kernels::Type::f32};
    shape.mtp = true;
    const test::TinyModel tiny(shape);
    const Gguf gguf = Gguf::read_file(tiny.path()).value();
    const ModelConfig config = read_config(gguf).value();
    REQUIRE_EQ(config.mtp_layers, 1);
    CHECK_EQ(config.layers, 4);
    ThreadPool pool(2);
    const ModelWeights weights = ModelWeights::load(Gguf::read_file(tiny.path()).value(), {}, config, kernels::best_cpu(), {}, {}).value();
    const std::unique_ptr<Forward> forward = Forward::create(config, weights, kernels::best_cpu(), pool, 64).value();
    const auto embedding = static_cast<std::size_t>(config.embedding), vocab = static_cast<std::size_t>(config.vocab);

    const std::vector<Token> tokens = some_tokens(50);
    Sequence read(config, *forward);
    // In two runs, so that the state between them is used: by tiles, then by rows.
    read.run(tokens, 0, 41);
    read.run(tokens, 41, 9);
    const std::vector<float>& hidden = read.hidden;

    const Plain plain(gguf, tiny.path());
    const Head head(config, plain);
    Rows before = {Row(embedding, 0.0)};
    for (std::size_t i = 0; i < tokens.size(); ++i)
      before.emplace_back(hidden.begin() + static_cast<std::ptrdiff_t>(i * embedding),
                          hidden.begin() + static_cast<std::ptrdiff_t>((i + 1) * embedding));
    Run at;
    at.first_position = static_cast<std::int64_t>(tokens.size());
    at.pages = {read.page.data()};
    at.recurrent = read.recurrent.data();
    std::vector<Token> sequence = tokens, guesses;
    sequence.push_back(77);
    const std::vector<float> state = read.recurrent;
    for (int count = 1; count <= 3; ++count) {
      std::vector<float> logits(vocab);
      CHECK_OK(forward->guess(at, 77, count, guesses, logits.data()));
      REQUIRE_EQ(guesses.size(), static_cast<std::size_t>(count));
      const Head::Out expected = head.run(sequence, before);
      CHECK(distance(expected.logits, logits) < 5e-3);  // keys and values are f16 in pages
      before.push_back(expected.hidden);
      sequence.push_back(guesses.back());
    }
    CHECK(read.recurrent == state);
  }
}

CODICIL_TEST(guesses_that_came_true_leave_the_state_and_the_next_guess_that_reading_them_would_have_left) {
  test::TinyShape shape{"qwen35", kernels::Type::q4_0};
  shape.mtp = true;
  const test::TinyModel tiny(shape);
  const ModelConfig config = read_config(Gguf::read_file(tiny.path()).value()).value();
  ThreadPool pool(2);
  const ModelWeights weights = ModelWeights::load(Gguf::read_file(tiny.path()).value(), {}, config, kernels::best_cpu(), {}, {}).value();
  const std::unique_ptr<Forward> forward = Forward::create(config, weights, kernels::best_cpu(), pool, 64).value();
  const std::vector<Token> tokens = some_tokens(50);
  for (std::int64_t accepted = 0; accepted <= 3; ++accepted) {
    Sequence plain(config, *forward), drafted(config, *forward);
    for (Sequence* sequence : {&plain, &drafted}) sequence->run(tokens, 0, 40);
    plain.run(tokens, 40, 1 + accepted);
    drafted.run(tokens, 40, 4, 3);
    forward->take_over(drafted.draft_log.data(), 3, accepted, drafted.recurrent.data());
    CHECK(plain.recurrent == drafted.recurrent);
    std::vector<float> expected(static_cast<std::size_t>(config.vocab)), found = expected;
    std::vector<Token> guesses;
    for (Sequence* sequence : {&plain, &drafted}) {
      Run at;
      at.first_position = 41 + accepted;
      at.pages = {sequence->page.data()};
      at.recurrent = sequence->recurrent.data();
      CHECK_OK(forward->guess(at, 9, 2, guesses, (sequence == &plain ? expected : found).data()));
    }
    CHECK(expected == found);
  }
}

CODICIL_TEST(a_file_with_a_part_of_a_head_is_refused_by_the_name_that_is_missing_and_opens_without_it) {
  test::TinyShape shape{"qwen35", kernels::Type::f32};
  shape.mtp = true;
  const test::TinyModel model(shape);
  rename_in_file(model.path(), "nextn.hnorm", "nextn.xxxxx");
  EngineOptions options;
  options.model_path = model.path();
  options.ram_budget_bytes = 64u << 20;
  const Result<std::unique_ptr<Engine>> opened = Engine::open(options, {});
  REQUIRE(!opened.ok());
  CHECK_EQ(opened.status().code(), Code::model_invalid);
  CHECK(opened.status().message().find("blk.4.nextn.hnorm.weight") != std::string::npos);
  CHECK(opened.status().message().find("drafting lookup") != std::string::npos);
  options.drafting = Drafting::lookup;
  CHECK_OK(Engine::open(options, {}));
}

CODICIL_TEST(the_plan_names_what_guesses_and_counts_the_head_only_where_it_is_used) {
  test::TinyShape with{"qwen35", kernels::Type::f32};
  with.mtp = true;
  const test::TinyModel model(with), without({"qwen35", kernels::Type::f32}), stripped(with);
  rename_in_file(stripped.path(), "blk.4.", "old.4.");  // a file that names a head whose tensors were left out
  const auto plan = [](const test::TinyModel& of, Drafting drafting, std::uint64_t budget = 0) {
    EngineOptions options;
    options.model_path = of.path();
    options.threads = 1;
    options.ram_budget_bytes = 2u << 20;
    options.memory_budget_bytes = budget;
    options.drafting = drafting;
    return Engine::plan(options).value();
  };
  const Plan head = plan(model, Drafting::automatic), lookup = plan(model, Drafting::lookup);
  CHECK_EQ(head.drafting, Drafting::mtp);
  CHECK_EQ(plan(model, Drafting::mtp).drafting, Drafting::mtp);
  CHECK_EQ(plan(model, Drafting::off).drafting, Drafting::off);
  CHECK_EQ(lookup.drafting, Drafting::lookup);
  CHECK(head.weight_bytes > lookup.weight_bytes);
  CHECK(head.kv_bytes > lookup.kv_bytes);
  for (const test::TinyModel* other : {&without, &stripped}) {
    CHECK_EQ(plan(*other, Drafting::automatic).drafting, Drafting::lookup);
    CHECK_EQ(plan(*other, Drafting::mtp).drafting, Drafting::off);
    CHECK_EQ(plan(*other, Drafting::automatic).weight_bytes, lookup.weight_bytes);
  }
  // Room for the model and not for its head.
  const Plan tight = plan(model, Drafting::automatic, head.used_bytes() - (head.weight_bytes - lookup.weight_bytes) / 2);
  CHECK(tight.fits);
  CHECK_EQ(tight.drafting, Drafting::lookup);
  CHECK_EQ(tight.weight_bytes, lookup.weight_bytes);
}

}  // namespace codicil::model
