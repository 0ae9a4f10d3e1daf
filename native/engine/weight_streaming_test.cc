// Models that do not fit the memory they are given: what is streamed must give the bits of what is held, and a read that fails must say which
// tensor it was.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <random>

#include "native/base/test.h"
#include "native/engine/engine.h"
#include "native/engine/tiny_model_test_builder.h"
#include "native/model/gguf.h"

namespace codicil {
namespace {

namespace fs = std::filesystem;
using kernels::Type;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("codicil_streaming_" + std::to_string(std::random_device()()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

// Enough experts and layers that a part of them stays outside of the smallest memory.
struct Model {
  Folder folder;
  std::string path = folder.file("model.gguf"), architecture;
  Model(const std::string& name, Type type, std::int64_t context = 2048) : architecture(name) {
    model::ModelShape shape = test::tiny_shape({architecture, type});
    shape.architecture = architecture.c_str();
    shape.context = context;
    shape.layers = shape.experts > 0 ? 8 : 24;  // so many that what is streamed is more than what reading takes
    if (shape.experts > 0) shape.experts = 40;
    CHECK_OK(model::write_random_model(shape, type, 3, path));
  }
  EngineOptions options(int threads, bool streamed) const {
    EngineOptions o;
    o.model_path = path;
    o.threads = threads;
    o.context_tokens = 512;
    o.ram_budget_bytes = 32u << 20;
    return streamed ? least(o) : o;
  }
  // What the trunk and a few experts (or a few layers) need beside everything else.
  static EngineOptions least(EngineOptions o) {
    o.memory_budget_bytes = std::uint64_t{1} << 40;
    const Plan whole = Engine::plan(o).value();
    for (o.memory_budget_bytes = whole.used_bytes(); Engine::plan(o).value().fits;) o.memory_budget_bytes -= 64 << 10;
    o.memory_budget_bytes += 64 << 10;
    return o;
  }
};

struct Said {
  std::vector<float> logits;
  std::vector<Token> tokens;
  EngineStats stats;
};

Result<Said> say(const EngineOptions& options) {
  Result<std::unique_ptr<Engine>> engine = Engine::open(options, {});
  if (!engine.ok()) return engine.status();
  Said said;
  std::vector<Token> prompt;
  for (Token t = 0; t < 150; ++t) prompt.push_back((t * 37 + 5) % 290);
  const Status status = engine.value()->evaluate(
      prompt, [&](std::int64_t, std::span<const float> row) { said.logits.insert(said.logits.end(), row.begin(), row.end()); });
  if (!status.ok()) return status;
  const std::unique_ptr<Session> session = engine.value()->open_session().value();
  session->sync(prompt, {}, [](const Result<SyncReport>&) {});
  const auto promise = std::make_shared<std::promise<Result<Generated>>>();
  GenerateOptions generate;
  generate.max_tokens = 24;
  session->generate(generate, {}, [promise](Result<Generated> result) { promise->set_value(std::move(result)); });
  const Result<Generated> generated = promise->get_future().get();
  if (!generated.ok()) return generated.status();
  said.tokens = generated.value().tokens;
  said.stats = engine.value()->stats();
  return said;
}

void damage(const std::string& path, const char* tensor, std::uint64_t at_share) {
  const auto gguf = model::Gguf::read_file(path);
  REQUIRE_OK(gguf);
  const model::GgufTensor* found = gguf.value().find_tensor(tensor);
  REQUIRE(found != nullptr);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto at = static_cast<std::streamoff>(found->offset + found->bytes * at_share / 100);
  file.seekg(at);
  const int byte = file.get();
  file.seekp(at);
  file.put(static_cast<char>(byte ^ 0x10));
}

}  // namespace

CODICIL_TEST(streamed_weights_give_the_bits_of_weights_in_memory) {
  for (const char* architecture : {"qwen3moe", "qwen35moe", "llama", "qwen35"}) {
    for (const Type type : {Type::q4_0, Type::f32}) {
      const Model model(architecture, type);
      const Result<Said> whole = say(model.options(2, false));
      REQUIRE_OK(whole);
      CHECK_EQ(whole.value().stats.streamed_bytes, 0u);
      for (const int threads : {1, 2}) {
        const EngineOptions options = model.options(threads, true);
        const Result<Said> streamed = say(options);
        REQUIRE_OK(streamed);
        CHECK(streamed.value().logits == whole.value().logits);
        CHECK(streamed.value().tokens == whole.value().tokens);
        CHECK(streamed.value().stats.streamed_bytes > 0);
        CHECK(streamed.value().stats.weight_bytes < whole.value().stats.weight_bytes);
        const bool experts = std::string(architecture).ends_with("moe");
        CHECK_EQ(streamed.value().stats.expert_misses > 0, experts);
        CHECK_EQ(Engine::plan(options).value().weight_bytes, streamed.value().stats.weight_bytes);
      }
    }
  }
}

CODICIL_TEST(a_damaged_expert_is_refused_by_name_when_it_is_read) {
  const Model model("qwen35moe", Type::q4_0);
  EngineOptions options = model.options(2, true);
  options.checksum_folder = model.folder.file("sums");
  const Result<Said> sound = say(options);
  REQUIRE_OK(sound);
  fs::copy_file(model.path, model.folder.file("second.gguf"));
  damage(model.path, "blk.5.ffn_up_exps.weight", 50);
  CHECK_STATUS(say(options), Code::model_invalid, "tensor blk.5.ffn_up_exps.weight is damaged");
  options.second_copy = model.folder.file("second.gguf");
  const Result<Said> healed = say(options);
  REQUIRE_OK(healed);
  CHECK(healed.value().logits == sound.value().logits);
}

CODICIL_TEST(a_damaged_layer_is_refused_by_name_and_the_engine_lives_on) {
  const Model model("llama", Type::q8_0);
  EngineOptions options = model.options(2, true);
  options.checksum_folder = model.folder.file("sums");
  REQUIRE_OK(say(options));
  Result<std::unique_ptr<Engine>> engine = Engine::open(options, {});
  REQUIRE_OK(engine);
  damage(model.path, "blk.6.ffn_down.weight", 10);
  const auto evaluate = [&] { return engine.value()->evaluate(std::vector<Token>{1, 2, 3}, [](std::int64_t, std::span<const float>) {}); };
  CHECK_STATUS(evaluate(), Code::model_invalid, "tensor blk.6.ffn_down.weight is damaged");
  CHECK_STATUS(evaluate(), Code::model_invalid, "tensor blk.6.ffn_down.weight is damaged");
  damage(model.path, "blk.6.ffn_down.weight", 10);
  CHECK_OK(evaluate());
}

// Those that were read ahead in vain too: what the file has when a layer is wanted counts.
CODICIL_TEST(a_file_that_is_whole_again_is_read_again) {
  const Model model("llama", Type::q8_0);
  EngineOptions options = model.options(2, true);
  options.checksum_folder = model.folder.file("sums");
  REQUIRE_OK(say(options));
  Result<std::unique_ptr<Engine>> engine = Engine::open(options, {});
  REQUIRE_OK(engine);
  const auto damage_all = [&] {
    for (int layer = 0; layer < 24; ++layer) damage(model.path, ("blk." + std::to_string(layer) + ".ffn_down.weight").c_str(), 10);
  };
  const auto evaluate = [&] { return engine.value()->evaluate(std::vector<Token>{1, 2, 3}, [](std::int64_t, std::span<const float>) {}); };
  for (int round = 0; round < 3; ++round) {
    damage_all();
    // A first layer may have been read ahead by the pass before, while it was whole.
    CHECK_STATUS(evaluate(), Code::model_invalid, ".ffn_down.weight is damaged");
    damage_all();
    CHECK_OK(evaluate());
  }
}

// The pass that fails leaves the ring in the middle; the next one begins with what is in it.
CODICIL_TEST(after_a_failure_at_any_layer_the_bits_are_the_same) {
  const Model model("llama", Type::q8_0);
  EngineOptions options = model.options(2, true);
  options.checksum_folder = model.folder.file("sums");
  REQUIRE_OK(say(options));
  const std::unique_ptr<Engine> engine = Engine::open(options, {}).value();
  for (const Token length : {3, 150}) {  // by rows, by tiles
    std::vector<Token> prompt;
    for (Token t = 0; t < length; ++t) prompt.push_back((t * 37 + 5) % 290);
    std::vector<float> expected, found;
    const auto evaluate = [&](std::vector<float>& logits) {
      logits.clear();
      return engine->evaluate(prompt, [&](std::int64_t, std::span<const float> row) { logits.insert(logits.end(), row.begin(), row.end()); });
    };
    REQUIRE_OK(evaluate(expected));
    int failures = 0;
    for (int layer = 0; layer < 24; ++layer) {
      const std::string tensor = "blk." + std::to_string(layer) + ".ffn_down.weight";
      damage(model.path, tensor.c_str(), 10);
      failures += evaluate(found).ok() ? 0 : 1;  // ok: the layer is held, or was read ahead before
      damage(model.path, tensor.c_str(), 10);
      for (int pass = 0; pass < 2; ++pass) {
        REQUIRE_OK(evaluate(found));
        CHECK(found == expected);
      }
    }
    CHECK(failures > 12);
  }
}

CODICIL_TEST(a_layer_that_cannot_be_read_while_pages_come_from_ssd_ends_its_job_only) {
  const Model model("llama", Type::q8_0, 8192);
  const Folder store;
  EngineOptions options = model.options(2, false);
  options.context_tokens = 8192;
  const auto text = [](int question) {
    std::vector<Token> out;
    for (Token t = 0; t < 5000; ++t) out.push_back((t * 37 + t / 300 + 5) % 290);
    for (Token t = 0; t < 200; ++t) out.push_back((t * 11 + question * 7) % 290);
    return out;
  };
  const auto sync = [](Session& session, const std::vector<Token>& prefix) {
    std::promise<Status> promise;
    session.sync(prefix, {}, [&](const Result<SyncReport>& report) { promise.set_value(report.status()); });
    return promise.get_future().get();
  };
  const auto answer = [](Session& session) {
    std::promise<std::vector<double>> promise;
    GenerateOptions generate;
    generate.max_tokens = 4;
    session.generate(generate, {},
                     [&](const Result<Generated>& result) { promise.set_value(result.ok() ? result.value().logprobs : std::vector<double>()); });
    return promise.get_future().get();
  };
  const std::unique_ptr<Engine> whole = Engine::open(options, {}).value();
  options.store_folder = store.path.string();
  options.checksum_folder = model.folder.file("sums");
  options.ram_budget_bytes = std::uint64_t{16} * 24 * (32u << 10);  // 16 pages, of the 20 and more that the text takes
  options = Model::least(options);
  const std::unique_ptr<Engine> streamed = Engine::open(options, {}).value();
  std::uint64_t on_ssd = 0;
  for (int question = 0; question < 6; ++question) {
    const std::unique_ptr<Session> here = streamed->open_session().value(), there = whole->open_session().value();
    REQUIRE_OK(sync(*here, text(6)));
    const std::string tensor = "blk." + std::to_string(question * 4 + 3) + ".ffn_down.weight";
    damage(model.path, tensor.c_str(), 10);
    const Status failed = sync(*here, text(question));
    damage(model.path, tensor.c_str(), 10);
    CHECK(failed.ok() || failed.code() == Code::model_invalid);  // ok: a layer that is held in memory
    REQUIRE_OK(sync(*here, text(question)));
    REQUIRE_OK(sync(*there, text(question)));
    const std::vector<double> expected = answer(*there);
    CHECK_EQ(expected.size(), 4u);
    CHECK(answer(*here) == expected);
    on_ssd = std::max(on_ssd, streamed->stats().kv.live_ssd_pages);
  }
  CHECK(on_ssd > 0);
  CHECK_EQ(streamed->stats().kv.disk_damaged_pages, 0u);
}

CODICIL_TEST(hot_experts_are_in_memory_at_the_next_start) {
  const Model model("qwen3moe", Type::q4_0);
  EngineOptions options = model.options(2, true);
  options.checksum_folder = model.folder.file("sums");
  const Result<Said> first = say(options);
  REQUIRE_OK(first);
  bool heats = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(options.checksum_folder)) heats |= entry.path().extension() == ".heat";
  CHECK(heats);
  const Result<Said> second = say(options);
  REQUIRE_OK(second);
  CHECK(second.value().logits == first.value().logits);
  CHECK(second.value().stats.expert_hits >= first.value().stats.expert_hits);
}

CODICIL_TEST(a_budget_that_is_too_small_says_how_much_is_needed) {
  const Model model("qwen35moe", Type::q4_0);
  EngineOptions options = model.options(2, true);
  options.memory_budget_bytes -= 256 << 10;
  const Plan plan = Engine::plan(options).value();
  CHECK(!plan.fits);
  CHECK(plan.advice.find("The weights take at least") != std::string::npos);
  CHECK_STATUS(say(options), Code::does_not_fit, "The weights take at least");
}

}  // namespace codicil
