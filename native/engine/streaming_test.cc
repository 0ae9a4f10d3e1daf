// Sessions whose keys and values do not fit the memory: the same bits as with all of them in RAM, on one thread and on two, in every format, for a
// fork and for two sessions in one step, after a restart and after kill -9; a damaged page is computed again, never used.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/base/test.h"
#include "native/engine/engine.h"
#include "native/engine/tiny_model_test_builder.h"

namespace codicil {
namespace {

namespace fs = std::filesystem;
using kernels::Type;
using test::TinyModel;
using test::TinyShape;

constexpr std::int64_t kDocument = 4000;                       // tokens: 15 full pages and a part
constexpr std::uint64_t kSmall = std::uint64_t{9} * 64 << 10;  // nine pages of the tiny llama shape: 64 KiB each in f16
constexpr std::uint64_t kLarge = std::uint64_t{64} << 20;

class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / ("codicil_streaming_" + std::to_string(getpid()) + "_" + std::to_string(counter_++))).string()) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }
  std::vector<fs::path> pages() const { return records(".page"); }
  std::vector<fs::path> snapshots() const { return records(".snapshot"); }

 private:
  std::vector<fs::path> records(const char* kind) const {
    std::vector<fs::path> out;
    for (const auto& entry : fs::recursive_directory_iterator(path_))
      if (entry.path().extension() == kind) out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
  }
  static inline int counter_ = 0;
  std::string path_;
};

TinyShape long_shape(const char* architecture = "llama", Type type = Type::q4_0) {
  TinyShape shape{architecture, type};
  shape.context = 8192;
  return shape;
}

EngineOptions options_for(const TinyModel& model, std::uint64_t ram, const std::string& folder, int threads = 2) {
  EngineOptions options;
  options.model_path = model.path();
  options.threads = threads;
  options.batch_tokens = 300;
  options.ram_budget_bytes = ram;
  options.store_folder = folder;
  return options;
}

std::unique_ptr<Engine> open(const EngineOptions& options) { return std::move(Engine::open(options, {})).value(); }

std::vector<Token> tokens_of(std::int64_t count, int seed) {
  std::vector<Token> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<Token>((i * 31 + seed * 57 + i * i % 11 + i / 97) % 256));
  return out;
}

std::vector<Token> with_question(std::vector<Token> document, int question) {
  for (int i = 0; i < 20; ++i) document.push_back(static_cast<Token>((question * 40 + i * 3) % 256));
  return document;
}

Result<SyncReport> sync(Session& session, std::vector<Token> prefix) {
  std::promise<Result<SyncReport>> promise;
  session.sync(std::move(prefix), {}, [&](Result<SyncReport> report) { promise.set_value(std::move(report)); });
  return promise.get_future().get();
}

std::shared_ptr<std::promise<Result<Generated>>> begin_answer(Session& session, std::int64_t tokens) {
  GenerateOptions options;
  options.max_tokens = tokens;
  options.top_logits = 5;
  auto promise = std::make_shared<std::promise<Result<Generated>>>();
  session.generate(std::move(options), {}, [promise](Result<Generated> result) { promise->set_value(std::move(result)); });
  return promise;
}
Generated answer(Session& session, std::int64_t tokens = 12) { return begin_answer(session, tokens)->get_future().get().value(); }

bool equal(const Generated& a, const Generated& b) {
  if (a.tokens != b.tokens || a.logprobs != b.logprobs || a.top.size() != b.top.size() || a.top.empty()) return false;
  for (std::size_t i = 0; i < a.top.size(); ++i) {
    for (std::size_t j = 0; j < a.top[i].size(); ++j)
      if (a.top[i][j].token != b.top[i][j].token || a.top[i][j].logit != b.top[i][j].logit) return false;
  }
  return true;
}

Generated in_ram(const TinyModel& model, const std::vector<Token>& prefix, const std::string& format = "f16") {
  EngineOptions options = options_for(model, kLarge, "", 1);
  options.kv_format = format;
  const auto engine = open(options);
  const auto session = engine->open_session().value();
  CHECK_OK(sync(*session, prefix));
  return answer(*session);
}

}  // namespace

CODICIL_TEST(pages_on_ssd_give_the_bits_of_pages_in_memory) {
  const TinyModel model(long_shape());
  const std::vector<Token> prefix = with_question(tokens_of(kDocument, 1), 1);
  const Generated expected = in_ram(model, prefix);
  for (const int threads : {1, 2}) {
    const Folder folder;
    const auto engine = open(options_for(model, kSmall, folder.path(), threads));
    const auto session = engine->open_session().value();
    REQUIRE_OK(sync(*session, prefix));
    CHECK(equal(answer(*session), expected));
    const kv::StoreStats stats = engine->stats().kv;
    CHECK(stats.live_ssd_pages > 5);
    CHECK(stats.disk_read_bytes > 0);
    CHECK(stats.bytes_by_tier[static_cast<std::size_t>(kv::Tier::ram)] + stats.ring_bytes <= kSmall + kv::PageShape::kLayerAlign);
  }
}

CODICIL_TEST(a_hybrid_model_streams_the_pages_of_its_attention_layers) {
  for (const bool head : {false, true}) {  // a head has keys of its own in the pages: a layer more
    TinyShape shape = long_shape("qwen35", Type::f32);
    shape.mtp = head;
    const TinyModel model(shape);
    const std::vector<Token> prefix = with_question(tokens_of(kDocument, 2), 1);
    const Generated expected = in_ram(model, prefix);
    const Folder folder;
    const auto engine = open(options_for(model, head ? kSmall : kSmall / 2, folder.path()));
    const auto session = engine->open_session().value();
    REQUIRE_OK(sync(*session, prefix));
    CHECK(equal(answer(*session), expected));
    CHECK(engine->stats().kv.live_ssd_pages > 5);
  }
}

CODICIL_TEST(quantized_pages_of_odd_size_stream_too) {
  TinyShape shape = long_shape();
  shape.embedding = 192, shape.heads = 2, shape.kv_heads = 1;  // heads of 96: not rotated, and a layer is no whole number of blocks
  const TinyModel model(shape);
  const std::vector<Token> prefix = with_question(tokens_of(kDocument, 3), 1);
  for (const char* format : {"q8_0", "k8v5", "k8v4", "q4", "nf4"}) {
    const Generated expected = in_ram(model, prefix, format);
    const Folder folder;
    EngineOptions options = options_for(model, kSmall * 3 / 2, folder.path());
    options.kv_format = format;
    const auto engine = open(options);
    const auto session = engine->open_session().value();
    REQUIRE_OK(sync(*session, prefix));
    CHECK(equal(answer(*session), expected));
    CHECK(engine->stats().kv.live_ssd_pages > 0);
  }
}

CODICIL_TEST(sessions_and_forks_in_one_step_share_what_comes_from_ssd) {
  const TinyModel model(long_shape());
  const std::vector<Token> document = tokens_of(kDocument, 1), other = tokens_of(2500, 9);
  std::vector<std::vector<Token>> prefixes;
  for (int question = 0; question < 4; ++question) prefixes.push_back(with_question(document, question));
  prefixes.push_back(other);
  std::vector<Generated> expected;
  for (const auto& prefix : prefixes) expected.push_back(in_ram(model, prefix));
  const Folder folder;
  const auto engine = open(options_for(model, kSmall * 2, folder.path()));
  const auto first = engine->open_session().value();
  REQUIRE_OK(sync(*first, document));
  std::vector<std::unique_ptr<Session>> sessions;
  for (int question = 0; question < 4; ++question) sessions.push_back(std::move(first->fork()).value());
  sessions.push_back(engine->open_session().value());
  std::vector<std::shared_ptr<std::promise<Result<Generated>>>> answers;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    sessions[i]->sync(prefixes[i], {}, [](Result<SyncReport>) {});
    answers.push_back(begin_answer(*sessions[i], 12));
  }
  for (std::size_t i = 0; i < sessions.size(); ++i) CHECK(equal(answers[i]->get_future().get().value(), expected[i]));
}

CODICIL_TEST(after_a_restart_a_question_computes_only_itself) {
  const TinyModel model(long_shape());
  const std::vector<Token> document = tokens_of(4096, 1), first = with_question(document, 1), second = with_question(document, 2);
  const Generated expected_first = in_ram(model, first), expected_second = in_ram(model, second);
  const Folder folder;
  {
    const auto engine = open(options_for(model, kSmall, folder.path()));
    const auto session = engine->open_session().value();
    REQUIRE_OK(sync(*session, first));
    CHECK(equal(answer(*session), expected_first));
  }
  for (const std::uint64_t ram : {kSmall, kLarge}) {
    const auto engine = open(options_for(model, ram, folder.path(), 1));
    const auto session = engine->open_session().value();
    const SyncReport warm = sync(*session, first).value();
    CHECK_EQ(warm.reused_tokens, 4116);  // it was asked before: the end of its prefix is kept too
    CHECK_EQ(warm.computed_tokens, 0);
    CHECK(equal(answer(*session), expected_first));
    const SyncReport next = sync(*session, second).value();
    CHECK_EQ(next.computed_tokens, ram == kSmall ? 20 : 0);  // the second time it was asked before as well
    CHECK(equal(answer(*session), expected_second));
    CHECK_EQ(engine->stats().kv.live_ssd_pages > 0, ram == kSmall);
  }
}

// Steps are short then, and each reads all pages that are on SSD.
CODICIL_TEST(reading_from_ssd_beside_an_answer_gives_the_same_bits) {
  const TinyModel model(long_shape());
  const std::vector<Token> document = tokens_of(4096, 1), question = with_question(tokens_of(200, 2), 1);
  const Generated expected = in_ram(model, document);
  const Folder folder;
  EngineOptions options = options_for(model, kSmall * 2, folder.path());
  options.batch_tokens = 512;
  const auto engine = open(options);
  const auto reader = engine->open_session().value(), answering = engine->open_session().value();
  REQUIRE_OK(sync(*answering, question));
  const auto answered = begin_answer(*answering, 400);
  std::promise<void> read;
  reader->sync(document, {}, [&](Result<SyncReport>) { read.set_value(); });
  read.get_future().wait();
  CHECK(equal(answer(*reader), expected));
  CHECK_OK(answered->get_future().get());
}

CODICIL_TEST(a_killed_process_leaves_pages_that_the_next_one_streams) {
  const TinyModel model(long_shape());
  const std::vector<Token> prefix = with_question(tokens_of(4096, 1), 1);
  const Generated expected = in_ram(model, prefix);
  const Folder folder;
  const pid_t child = fork();
  if (child == 0) {
    const auto engine = open(options_for(model, kSmall, folder.path()));
    const auto session = engine->open_session().value();
    (void)sync(*session, prefix);
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  CHECK(folder.pages().size() > 5);
  const auto engine = open(options_for(model, kSmall, folder.path()));
  const auto session = engine->open_session().value();
  const SyncReport report = sync(*session, prefix).value();
  CHECK(report.reused_tokens >= 5 * 256);
  CHECK(equal(answer(*session), expected));
}

// One byte in every page in turn, in every layer: what memory took is found at once, what stayed on SSD when attention comes to it.
CODICIL_TEST(a_damaged_page_on_ssd_is_computed_again) {
  const TinyModel model(long_shape());
  const std::vector<Token> prefix = with_question(tokens_of(4096, 1), 1);
  const Generated expected = in_ram(model, prefix);
  const Folder folder;
  {
    const auto engine = open(options_for(model, kSmall, folder.path()));
    REQUIRE_OK(sync(*engine->open_session().value(), prefix));
  }
  for (std::size_t i = 0; i < 16; ++i) {
    const std::vector<fs::path> files = folder.pages();
    REQUIRE(files.size() == 16);
    // Or what is behind the last page would not be computed either, and the damage be found only by the answer.
    for (const fs::path& snapshot : folder.snapshots()) fs::remove(snapshot);
    const auto at = static_cast<std::streamoff>(4096 + i % 2 * 32768 + i * 777);
    std::fstream file(files[i], std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char byte = static_cast<char>(file.get() ^ 0x10);
    file.seekp(at);
    file.put(byte);
    file.close();
    const auto engine = open(options_for(model, kSmall, folder.path()));
    const auto session = engine->open_session().value();
    const SyncReport report = sync(*session, prefix).value();
    CHECK(report.computed_tokens > 20);
    CHECK(equal(answer(*session), expected));
    CHECK_EQ(engine->stats().kv.disk_damaged_pages, 1u);
  }
}

CODICIL_TEST(a_page_damaged_under_a_live_session_is_computed_again_in_the_middle_of_an_answer) {
  const TinyModel model(long_shape());
  const std::vector<Token> prefix = tokens_of(4096, 1);
  const Generated expected = in_ram(model, prefix);
  const Folder folder;
  const auto engine = open(options_for(model, kSmall, folder.path()));
  const auto session = engine->open_session().value();
  REQUIRE_OK(sync(*session, prefix));
  for (const fs::path& page : folder.pages()) {
    std::fstream file(page, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(5000);
    file.put('\x55');
  }
  CHECK(equal(answer(*session), expected));
  CHECK(engine->stats().kv.disk_damaged_pages > 0);
}

CODICIL_TEST(without_a_folder_the_budget_is_the_limit) {
  const TinyModel model(long_shape());
  EngineOptions options = options_for(model, kSmall, "");
  const auto refused = Engine::open(options, {});
  CHECK_STATUS(refused, Code::does_not_fit, "choose a context");
}

// The step is given up wherever it is; what the next engine finds gives the bits of a whole reading.
CODICIL_TEST(an_engine_closed_at_any_moment_keeps_nothing_half_computed) {
  const TinyModel model(long_shape());
  const std::vector<Token> prefix = with_question(tokens_of(4096, 1), 1);
  const Generated expected = in_ram(model, prefix);
  const Folder folder;
  int given_up = 0;
  for (int round = 0; round < 12; ++round) {
    EngineOptions options = options_for(model, round % 2 == 0 ? kSmall : kLarge, folder.path());
    options.batch_tokens = 300 + 40 * round;
    options.stop = std::make_shared<std::atomic<bool>>(false);
    std::promise<Status> synced;
    {
      auto engine = open(options);
      const auto session = engine->open_session().value();
      int steps = 0;
      std::vector<Token> other = prefix;
      other[static_cast<std::size_t>(round)] += 1;  // nothing of it is known
      session->sync(
          other,
          [&](SyncProgress) {
            steps += 1;
            if (steps == 2 + round / 4) *options.stop = true;
          },
          [&](Result<SyncReport> report) { synced.set_value(report.status()); });
      const Status ended = synced.get_future().get();
      given_up += ended.code() == Code::cancelled ? 1 : 0;
      // The engine ends no differently for who told it to; a job that comes late is told so.
      const Status late = sync(*session, other).status();
      CHECK(late.code() == Code::engine_down || late.code() == Code::cancelled);
      if (round % 3 == 0) engine.reset();
    }
    const auto engine = open(options_for(model, kSmall, folder.path()));
    const auto session = engine->open_session().value();
    REQUIRE_OK(sync(*session, prefix));
    CHECK(equal(answer(*session), expected));
    CHECK_EQ(engine->stats().kv.disk_damaged_pages, 0u);
  }
  CHECK_EQ(given_up, 12);
}

CODICIL_TEST(opening_ends_when_it_is_told_to_stop) {
  const TinyModel model(long_shape());
  EngineOptions options = options_for(model, kLarge, "");
  options.stop = std::make_shared<std::atomic<bool>>(true);
  CHECK_EQ(Engine::open(options, {}).status().code(), Code::cancelled);
}

CODICIL_TEST(who_closes_an_engine_second_waits_for_its_end_too) {
  const TinyModel model(long_shape());
  for (int round = 0; round < 5; ++round) {
    auto engine = open(options_for(model, kLarge, ""));
    std::atomic<int> ended{0};
    const auto session = engine->open_session().value();
    for (int job = 0; job < 3; ++job) session->sync(tokens_of(3000, job), {}, [&](Result<SyncReport>) { ended += 1; });
    engine.reset();
    CHECK_EQ(ended.load(), 3);
  }
}

}  // namespace codicil
