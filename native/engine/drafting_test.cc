// Drafting: what is guessed, how much, and above all that a guess never changes what an engine says.
#include "native/engine/drafting.h"

#include <filesystem>
#include <future>
#include <random>

#include "native/base/test.h"
#include "native/engine/engine.h"
#include "native/engine/tiny_model_test_builder.h"

namespace codicil {
namespace {

using kernels::Type;
using test::TinyModel;
using test::TinyShape;

std::vector<Token> tokens_of(std::int64_t count, int seed) {
  std::vector<Token> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<Token>((i * 31 + seed * 57 + i * i % 11) % 256));
  return out;
}

std::unique_ptr<Engine> open(const TinyModel& model, int threads = 2, std::int64_t batch_tokens = 96, Drafting drafting = Drafting::automatic,
                             const std::string& store = {}) {
  EngineOptions options;
  options.model_path = model.path();
  options.threads = threads;
  options.batch_tokens = batch_tokens;
  options.ram_budget_bytes = 64u << 20;
  options.drafting = drafting;
  options.store_folder = store;
  return Engine::open(options, {}).value();
}

std::future<Result<SyncReport>> sync(Session& session, std::vector<Token> prefix) {
  auto promise = std::make_shared<std::promise<Result<SyncReport>>>();
  session.sync(std::move(prefix), {}, [promise](Result<SyncReport> report) { promise->set_value(std::move(report)); });
  return promise->get_future();
}
std::future<Result<Generated>> generate(Session& session, GenerateOptions options) {
  auto promise = std::make_shared<std::promise<Result<Generated>>>();
  session.generate(std::move(options), {}, [promise](Result<Generated> result) { promise->set_value(std::move(result)); });
  return promise->get_future();
}
std::vector<double> score(Session& session, std::vector<Token> continuation) {
  std::promise<Result<std::vector<double>>> promise;
  session.score(std::move(continuation), [&](Result<std::vector<double>> result) { promise.set_value(std::move(result)); });
  return promise.get_future().get().value();
}

bool equal(const Generated& a, const Generated& b) {
  if (a.tokens != b.tokens || a.logprobs != b.logprobs || a.text != b.text || a.end != b.end || a.top.size() != b.top.size()) return false;
  for (std::size_t i = 0; i < a.top.size(); ++i)
    for (std::size_t j = 0; j < a.top[i].size(); ++j)
      if (a.top[i][j].token != b.top[i][j].token || a.top[i][j].logit != b.top[i][j].logit) return false;
  return true;
}

// A long answer, another one behind it, and a score behind both: everything that a session keeps is used.
struct Told {
  Generated first, second;
  std::vector<double> scores;
  bool operator==(const Told& other) const { return equal(first, other.first) && equal(second, other.second) && scores == other.scores; }
};
Told tell(Engine& engine, const std::vector<Token>& prefix, const GenerateOptions& options) {
  const std::unique_ptr<Session> session = engine.open_session().value();
  CHECK_OK(sync(*session, prefix).get());
  Told out;
  out.first = generate(*session, options).get().value();
  const std::unique_ptr<Session> fork = session->fork().value();
  out.second = generate(*fork, options).get().value();
  out.scores = score(*fork, {5, 6, 7});
  return out;
}

// Repeats a passage, so that lookup has something to find whatever the model says.
std::vector<Token> repetitive(int seed) {
  std::vector<Token> out = tokens_of(90, seed);
  for (int i = 0; i < 3; ++i) out.insert(out.end(), out.begin() + 10, out.begin() + 60);
  return out;
}

// Forces a text that quotes the prefix, then leaves it, then quotes again: guesses come true in part.
std::shared_ptr<const TokenMask> quoting(const std::vector<Token>& prefix) {
  std::vector<Token> text(prefix.begin() + 12, prefix.begin() + 40);
  text.insert(text.end(), {200, 201, 202});
  text.insert(text.end(), prefix.begin() + 30, prefix.begin() + 55);
  auto mask = std::make_shared<TokenMask>();
  mask->states.resize(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) mask->states[i].edges.push_back({text[i], static_cast<std::int32_t>(i + 1)});
  mask->states.back().may_end = true;
  return mask;
}

}  // namespace

CODICIL_TEST(the_longest_earlier_agreement_says_what_comes_next_and_the_newest_of_equals) {
  LookupIndex index;
  std::vector<Token> draft;
  const std::vector<Token> tokens = {1, 2, 3, 4, 5, 9, 2, 3, 4, 6, 9, 1, 2, 3, 4};
  index.extend(tokens);
  CHECK_EQ(index.find(tokens, 3, 3, draft), 4);
  CHECK((draft == std::vector<Token>{5, 9, 2}));
  const std::vector<Token> other = {9, 2, 3, 4, 5, 9, 2, 3, 4, 6, 7, 2, 3, 4};
  LookupIndex second;
  second.extend(other);
  CHECK_EQ(second.find(other, 3, 2, draft), 3);
  CHECK((draft == std::vector<Token>{6, 7}));
  CHECK_EQ(second.find(other, 4, 2, draft), 0);
  CHECK(draft.empty());
  const std::vector<Token> nothing = {1, 2, 3, 4, 5, 6};
  LookupIndex third;
  third.extend(nothing);
  CHECK_EQ(third.find(nothing, 3, 4, draft), 0);
  LookupIndex empty;
  empty.extend({});
  CHECK_EQ(empty.find({}, 3, 4, draft), 0);
}

CODICIL_TEST(a_repetition_is_continued_beyond_its_end) {
  LookupIndex index;
  std::vector<Token> tokens, draft;
  for (int i = 0; i < 12; ++i) tokens.push_back(i % 4);
  index.extend(tokens);
  CHECK(index.find(tokens, 3, 9, draft) >= 3);
  CHECK((draft == std::vector<Token>{0, 1, 2, 3, 0, 1, 2, 3, 0}));
}

CODICIL_TEST(work_is_bounded_where_every_gram_is_the_same_and_where_the_session_is_long) {
  std::vector<Token> same(200'000, 7), draft;
  LookupIndex index;
  int calls = 0;
  while (index.indexed() < static_cast<std::int64_t>(same.size()) && calls < 1000) {
    const std::int64_t before = index.indexed();
    index.extend(same);
    CHECK(index.indexed() - before <= LookupIndex::kIndexed);
    calls += 1;
  }
  CHECK_EQ(index.indexed(), 200'000);
  CHECK_EQ(index.find(same, 3, 4, draft), LookupIndex::kLongest);
  // Grown token by token, as an answer does: the same as at once.
  std::vector<Token> text = repetitive(1), growing;
  LookupIndex slowly, at_once;
  for (const Token token : text) {
    growing.push_back(token);
    slowly.extend(growing);
  }
  at_once.extend(text);
  std::vector<Token> a, b;
  CHECK_EQ(slowly.find(text, 3, 8, a), at_once.find(text, 3, 8, b));
  CHECK(a == b && a.size() == 8);
}

CODICIL_TEST(guesses_that_come_true_become_longer_and_false_ones_stop) {
  DraftLength good(16), bad(16), dear(16);
  for (int i = 0; i < 30; ++i) {
    const std::int64_t k = good.choose(0.05);
    good.verified(k, k);
  }
  CHECK_EQ(good.choose(0.05), 16);
  std::int64_t rows = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t k = bad.choose(0.1);
    rows += k;
    bad.verified(k, 0);
  }
  CHECK(rows < 60);  // 1,000 steps: less than 6 % of a row each, at a tenth of a step's cost
  // Text that turns: found again after a pause.
  for (int i = 0; i < 200; ++i) {
    const std::int64_t k = bad.choose(0.1);
    bad.verified(k, k);
  }
  CHECK(bad.choose(0.1) + bad.choose(0.1) >= 4);
  // Where a row costs as much as a step, no acceptance pays.
  std::int64_t spent = 0;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t k = dear.choose(1.0);
    spent += k;
    dear.verified(k, k);
  }
  CHECK(spent <= 101);
}

CODICIL_TEST(a_guess_changes_no_token_no_logit_and_nothing_that_the_session_keeps) {
  const std::vector<TinyShape> shapes = {{"llama", Type::q4_0}, {"qwen3moe", Type::q4_0}, {"qwen35", Type::f32}, {"qwen35moe", Type::q8_0}};
  std::uint64_t drafted = 0, accepted = 0;
  for (const TinyShape& shape : shapes) {
    const TinyModel model(shape);
    const std::unique_ptr<Engine> engine = open(model), single = open(model, 1);
    const std::vector<Token> prefix = repetitive(3);
    for (int kind = 0; kind < 5; ++kind) {
      GenerateOptions options;
      options.max_tokens = 48;
      options.top_logits = 3;
      if (kind == 1) options.temperature = 0.9f, options.seed = 11, options.top_p = 0.95f;
      if (kind == 2) options.repetition_penalty = 1.3f, options.presence_penalty = 0.5f;
      if (kind == 3) options.mask = quoting(prefix);
      if (kind == 4) options.stop = {"A", "q"}, options.temperature = 0.3f;
      options.drafting = Drafting::off;
      const Told plain = tell(*engine, prefix, options);
      options.drafting = Drafting::automatic;
      for (const int guesses : {0, 5, 16}) {
        options.draft_tokens = guesses;
        const bool same = tell(*engine, prefix, options) == plain;
        if (!same) std::fprintf(stderr, "%s, kind %d, %d guesses\n", shape.architecture.c_str(), kind, guesses);
        CHECK(same);
      }
      CHECK(tell(*single, prefix, options) == plain);
    }
    const EngineStats stats = engine->stats();
    CHECK(stats.accepted_tokens > 0);
    drafted += stats.drafted_tokens;
    accepted += stats.accepted_tokens;
  }
  CHECK(drafted > accepted);  // some guesses were wrong: both ways were taken
}

// Heads of random weights, which are never right, and one that is right for most tokens: both what a rejected guess may leave behind and what one
// that came true must.
CODICIL_TEST(the_guesses_of_a_head_change_nothing_either) {
  struct Kind {
    const char* architecture;
    double right;
  };
  for (const Kind& kind : {Kind{"qwen35", -1}, Kind{"qwen35moe", -1}, Kind{"qwen35", 0.7}}) {
    TinyShape shape{kind.architecture, Type::f32};
    shape.mtp = true;
    shape.mtp_right = kind.right;
    const TinyModel model(shape);
    const std::unique_ptr<Engine> plain_engine = open(model, 1, 96, Drafting::off);  // the head is not even loaded
    const std::vector<Token> prefix = repetitive(4);
    for (const int threads : {1, 2}) {
      const std::unique_ptr<Engine> engine = open(model, threads, 96, Drafting::mtp);
      CHECK(plain_engine->stats().weight_bytes < engine->stats().weight_bytes);
      for (int way = 0; way < 4; ++way) {
        GenerateOptions options;
        options.max_tokens = 40;
        options.top_logits = 3;
        if (way == 1) options.temperature = 0.7f, options.seed = 5;
        if (way == 2) options.mask = quoting(prefix);
        if (way == 3) options.repetition_penalty = 1.2f, options.stop = {"B"};
        const Told plain = tell(*plain_engine, prefix, options);
        options.drafting = Drafting::mtp;
        for (const int guesses : {0, 1, 3}) {
          options.draft_tokens = guesses;
          CHECK(tell(*engine, prefix, options) == plain);  // from the second on, from the snapshot at the end of the prefix
        }
      }
      const EngineStats stats = engine->stats();
      CHECK(stats.reused_tokens > 0);
      CHECK(stats.drafted_tokens > 50);
      if (kind.right > 0) {
        CHECK(stats.accepted_tokens > stats.drafted_tokens / 4);
        CHECK(stats.accepted_tokens < stats.drafted_tokens);
      }
    }
  }
}

CODICIL_TEST(a_head_that_is_never_right_is_asked_seldom_by_all_answers_together) {
  TinyShape shape{"qwen35", Type::f32};
  shape.mtp = true;
  const TinyModel model(shape);
  const std::unique_ptr<Engine> engine = open(model, 1, 96, Drafting::mtp);
  GenerateOptions options;
  options.max_tokens = 50;
  options.temperature = 2;  // so that not even by chance it is right
  for (int i = 0; i < 12; ++i) {
    const std::unique_ptr<Session> session = engine->open_session().value();
    CHECK_OK(sync(*session, tokens_of(20, i)).get());
    options.seed = static_cast<std::uint64_t>(i);
    CHECK_OK(generate(*session, options).get());
  }
  const EngineStats stats = engine->stats();
  CHECK(stats.decode_tokens > 300);
  CHECK(stats.drafted_tokens > 0);
  CHECK(stats.drafted_tokens < stats.decode_tokens / 10);
}

CODICIL_TEST(a_head_goes_on_after_a_restart_as_if_there_had_been_none) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("codicil_drafting_store_" + std::to_string(std::random_device{}()));
  TinyShape shape{"qwen35", Type::f32};
  shape.mtp = true;
  shape.mtp_right = 0.8;
  const TinyModel model(shape);
  std::vector<Token> prefix = tokens_of(700, 2);
  std::uint64_t accepted = 0;
  GenerateOptions options;
  options.max_tokens = 60;
  const Told plain = tell(*open(model, 2, 96, Drafting::off), prefix, options);
  for (int start = 0; start < 2; ++start) {
    const std::unique_ptr<Engine> engine = open(model, 2, 96, Drafting::mtp, folder.string());
    options.draft_tokens = 2;
    CHECK(tell(*engine, prefix, options) == plain);
    const EngineStats stats = engine->stats();
    if (start == 0) accepted = stats.accepted_tokens;
    CHECK_EQ(stats.accepted_tokens, accepted);  // what the head goes on from was kept too
    CHECK_EQ(stats.reused_tokens > 0, start == 1);
  }
  CHECK(accepted > 30);
  std::filesystem::remove_all(folder);
}

CODICIL_TEST(sessions_that_guess_share_a_batch_as_any_others) {
  TinyShape head{"qwen35", Type::f32};
  head.mtp = true;
  head.mtp_right = 0.7;
  for (const TinyShape& shape : {TinyShape{"llama", Type::q4_0}, TinyShape{"qwen35", Type::q4_0}, head}) {
    const TinyModel model(shape);
    const std::unique_ptr<Engine> engine = open(model, 2, 24);  // so few rows that guesses and sessions compete for them
    GenerateOptions options;
    options.max_tokens = 40;
    options.drafting = Drafting::off;
    std::vector<Generated> expected;
    for (int i = 0; i < 12; ++i) expected.push_back(tell(*engine, repetitive(i), options).first);
    options.drafting = shape.mtp ? Drafting::mtp : Drafting::lookup;
    options.draft_tokens = 7;
    std::vector<std::unique_ptr<Session>> sessions;
    std::vector<std::future<Result<Generated>>> results;
    for (int i = 0; i < 12; ++i) {
      sessions.push_back(engine->open_session().value());
      (void)sync(*sessions.back(), repetitive(i));
      results.push_back(generate(*sessions.back(), options));
    }
    for (std::size_t i = 0; i < results.size(); ++i) CHECK(equal(results[i].get().value(), expected[i]));
  }
}

CODICIL_TEST(an_answer_fills_its_session_to_the_last_token_with_guesses_too) {
  const TinyModel model({"llama", Type::q4_0});
  EngineOptions open_options;
  open_options.model_path = model.path();
  open_options.context_tokens = 300;
  open_options.threads = 1;
  open_options.ram_budget_bytes = 2u * 2u * 2u * 2u * 256u * 16u * 2u;  // two pages: no room for a guess in a third
  const std::unique_ptr<Engine> engine = Engine::open(open_options, {}).value();
  GenerateOptions options;
  options.max_tokens = 200;
  options.draft_tokens = 16;
  auto mask = std::make_shared<TokenMask>();
  mask->states.resize(1);
  mask->states[0].any_next = 0;
  options.mask = mask;
  const std::unique_ptr<Session> session = engine->open_session().value();
  CHECK_OK(sync(*session, repetitive(2)).get());
  const Generated g = generate(*session, options).get().value();
  CHECK_EQ(g.end, Generated::End::context_full);
  CHECK_EQ(session->tokens(), 300);
}

}  // namespace codicil
