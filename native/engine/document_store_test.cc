// The engine over its document store: what was read once is never computed again, whatever ended the process, and gives the same bits.
#include <algorithm>
#include <filesystem>
#include <future>

#include "native/base/test.h"
#include "native/engine/engine.h"
#include "native/engine/tiny_model_test_builder.h"

#ifndef _WIN32
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace codicil {
namespace {

namespace fs = std::filesystem;
using kernels::Type;
using test::TinyModel;
using test::TinyShape;

const std::vector<TinyShape> kShapes = {{"llama", Type::q4_0}, {"qwen2", Type::f32}, {"qwen35", Type::f32}, {"qwen35moe", Type::q8_0}};
constexpr std::int64_t kDocument = 1100;  // four pages and 76 tokens

std::vector<Token> tokens_of(std::int64_t count, int seed) {
  std::vector<Token> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<Token>((i * 31 + seed * 57 + i * i % 11) % 256));
  return out;
}

std::vector<Token> asked(const std::vector<Token>& document, int question) {
  std::vector<Token> out = document;
  for (const Token token : tokens_of(19, 40 + question)) out.push_back(token);
  return out;
}

std::unique_ptr<Engine> open(const TinyModel& model, const std::string& folder, int threads = 2) {
  EngineOptions options;
  options.model_path = model.path();
  options.threads = threads;
  options.batch_tokens = 96;
  options.ram_budget_bytes = 64u << 20;
  options.store_folder = folder;
  return std::move(Engine::open(options, {})).value();
}

// The document ends at `document` tokens of the prefix and is "lease".
SyncReport sync(Session& session, std::vector<Token> prefix, std::int64_t document = kDocument, const std::string& owner = "lease") {
  std::promise<Result<SyncReport>> promise;
  SyncOptions options;
  options.keep = {document};
  options.owner = owner;
  session.sync(std::move(prefix), options, {}, [&](Result<SyncReport> report) { promise.set_value(std::move(report)); });
  return promise.get_future().get().value();
}

Generated generate(Session& session) {
  std::promise<Result<Generated>> promise;
  GenerateOptions options;
  options.max_tokens = 12;
  options.top_logits = 4;
  session.generate(options, {}, [&](Result<Generated> result) { promise.set_value(std::move(result)); });
  return promise.get_future().get().value();
}

bool equal(const Generated& a, const Generated& b) {
  return a.tokens == b.tokens && a.logprobs == b.logprobs && std::ranges::equal(a.top, b.top, [](const auto& x, const auto& y) {
           return std::ranges::equal(x, y, [](const TopLogit& p, const TopLogit& q) { return p.token == q.token && p.logit == q.logit; });
         });
}

std::size_t records_in(const std::string& folder) {
  std::size_t out = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) out += entry.is_regular_file() && entry.path().filename() != "lock" ? 1 : 0;
  return out;
}

struct Folder {
  explicit Folder(const TinyModel& model) : path(model.path() + ".store") {}
  ~Folder() { fs::remove_all(path); }
  const std::string path;
};

}  // namespace

CODICIL_TEST(after_a_restart_a_question_computes_only_its_own_tokens_and_the_bits_are_the_same) {
  for (const TinyShape& shape : kShapes) {
    const TinyModel model(shape);
    const Folder folder(model);
    const std::vector<Token> document = tokens_of(kDocument, 6);
    const std::unique_ptr<Engine> fresh = open(model, {}, 1);
    CHECK_EQ(fresh->known(document), 0);
    for (int start = 0; start < 4; ++start) {
      const std::unique_ptr<Engine> engine = open(model, folder.path, start % 2 + 1);
      CHECK_EQ(engine->known(document), start == 0 ? 0 : kDocument);
      const std::unique_ptr<Session> session = engine->open_session().value(), alone = fresh->open_session().value();
      for (int question = 0; question < 2; ++question) {
        const std::vector<Token> prompt = asked(document, question + start);
        const SyncReport report = sync(*session, prompt);
        CHECK_EQ(report.reused_tokens, start == 0 && question == 0 ? 0 : kDocument);
        (void)sync(*alone, prompt);
        const Generated expected = generate(*alone);
        const std::unique_ptr<Session> fork = session->fork().value();
        CHECK(equal(generate(*session), expected));
        CHECK(equal(generate(*fork), expected));
      }
      const kv::StoreStats kv = engine->stats().kv;
      CHECK_EQ(kv.disk_damaged_pages, 0u);
      CHECK_EQ(kv.disk_read_bytes > 0, start > 0);
    }
    const std::unique_ptr<Engine> engine = open(model, folder.path);
    const kv::StoreStats kv = engine->stats().kv;
    CHECK_EQ(kv.pages_by_tier[2], 4u);  // nothing of the questions
    CHECK_EQ(kv.disk_snapshots, 1u);
    CHECK_EQ(records_in(folder.path), 4u + 1u + 1u);  // and the ledger
    CHECK_EQ(engine->forget("lease").value().files, 5u);
    CHECK_EQ(records_in(folder.path), 0u);
    CHECK_EQ(engine->known(document), 0);
    const std::unique_ptr<Session> session = engine->open_session().value();
    CHECK_EQ(sync(*session, document).reused_tokens, 0);
  }
}

CODICIL_TEST(a_session_without_a_list_keeps_the_end_of_its_prefix_and_of_its_turn) {
  for (const TinyShape& shape : kShapes) {
    const TinyModel model(shape);
    const Folder folder(model);
    const std::vector<Token> prefix = tokens_of(500, 3);
    std::vector<Token> turn = prefix;
    for (int start = 0; start < 2; ++start) {
      const std::unique_ptr<Engine> engine = open(model, folder.path);
      const std::unique_ptr<Session> session = engine->open_session().value();
      std::promise<Result<SyncReport>> promise;
      session->sync(turn, {}, [&](Result<SyncReport> report) { promise.set_value(std::move(report)); });
      const SyncReport report = promise.get_future().get().value();
      // The last token that was generated never went through the model.
      CHECK_EQ(report.reused_tokens, start == 0 ? 0 : static_cast<std::int64_t>(turn.size()) - 1);
      if (start > 0) continue;
      const Generated answer = generate(*session);
      turn.insert(turn.end(), answer.tokens.begin(), answer.tokens.end());
      REQUIRE(turn.size() > prefix.size());
    }
  }
}

CODICIL_TEST(options_of_a_sync_that_have_no_meaning_are_refused) {
  const TinyModel model(kShapes[0]);
  const std::unique_ptr<Engine> engine = open(model, {});
  const std::unique_ptr<Session> session = engine->open_session().value();
  const auto code = [&](SyncOptions options) {
    std::promise<Result<SyncReport>> promise;
    session->sync(tokens_of(10, 1), std::move(options), {}, [&](Result<SyncReport> report) { promise.set_value(std::move(report)); });
    return promise.get_future().get().status().code();
  };
  CHECK(code({{{11}}, "lease"}) == Code::invalid_request);
  CHECK(code({{{0}}, "lease"}) == Code::invalid_request);
  CHECK(code({{{10}}, "../lease"}) == Code::invalid_request);
  CHECK(code({{{10}}, "lease"}) == Code::ok);
  CHECK(engine->forget("a/b").status().code() == Code::invalid_request);
}

#ifndef _WIN32
CODICIL_TEST(a_process_killed_while_it_reads_leaves_what_gives_the_same_bits) {
  for (const TinyShape& shape : {kShapes[0], kShapes[2]}) {
    const TinyModel model(shape);
    const Folder folder(model);
    const std::vector<Token> document = tokens_of(kDocument, 6);
    std::uint32_t random = 99;
    for (int round = 0; round < 6; ++round) {
      const pid_t child = fork();
      if (child == 0) {
        const std::unique_ptr<Engine> engine = open(model, folder.path);
        const std::unique_ptr<Session> session = engine->open_session().value();
        (void)sync(*session, document);
        _exit(0);
      }
      random = random * 1664525u + 1013904223u;
      usleep(random >> 15);  // up to 130 ms
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      if (round % 2 == 0) continue;  // the second of two finds what the first left
      const std::unique_ptr<Engine> engine = open(model, folder.path, round / 2 % 2 + 1), fresh = open(model, {}, 1);
      const std::unique_ptr<Session> session = engine->open_session().value(), alone = fresh->open_session().value();
      (void)sync(*session, asked(document, round));
      (void)sync(*alone, asked(document, round));
      CHECK(equal(generate(*session), generate(*alone)));
      CHECK_EQ(engine->stats().kv.disk_damaged_pages, 0u);
      (void)engine->forget("lease").value();
      CHECK_EQ(records_in(folder.path), 0u);
    }
  }
}
#endif

}  // namespace codicil
