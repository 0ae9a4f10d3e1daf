// Who gets the next step, and what a cancel, a pause or a crowd does to it. Counted in jobs and tokens, never in milliseconds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "native/base/test.h"
#include "native/engine/engine.h"
#include "native/engine/tiny_model_test_builder.h"

namespace codicil {
namespace {

using kernels::Type;
using test::TinyModel;

std::vector<Token> tokens_of(std::int64_t count, int seed) {
  std::vector<Token> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<Token>((i * 31 + seed * 57 + i * i % 11) % 256));
  return out;
}

EngineOptions options_for(const TinyModel& model) {
  EngineOptions options;
  options.model_path = model.path();
  options.threads = 2;
  options.batch_tokens = 48;
  options.ram_budget_bytes = 64u << 20;
  return options;
}

std::future<Status> sync(Session& session, std::vector<Token> prefix, Priority priority = Priority::interactive,
                         std::function<void(SyncProgress)> progress = {}) {
  auto promise = std::make_shared<std::promise<Status>>();
  session.sync(
      std::move(prefix), std::move(progress), [promise](Result<SyncReport> report) { promise->set_value(report.ok() ? Status() : report.status()); },
      priority);
  return promise->get_future();
}
std::future<Result<Generated>> generate(Session& session, GenerateOptions options, std::function<void(Token, std::string_view)> on_text = {}) {
  auto promise = std::make_shared<std::promise<Result<Generated>>>();
  session.generate(std::move(options), std::move(on_text), [promise](Result<Generated> result) { promise->set_value(std::move(result)); });
  return promise->get_future();
}

GenerateOptions endless(std::int64_t tokens) {
  GenerateOptions options;
  options.max_tokens = tokens;
  auto mask = std::make_shared<TokenMask>();
  mask->states.resize(1);
  mask->states[0].any_next = 0;
  options.mask = mask;
  return options;
}

}  // namespace

CODICIL_TEST(interactive_work_overtakes_batch_work_and_batch_work_still_ends) {
  const TinyModel model({"llama", Type::q4_0});
  const std::unique_ptr<Engine> engine = Engine::open(options_for(model), {}).value();
  const std::unique_ptr<Session> library = engine->open_session().value(), question = engine->open_session().value();
  std::atomic<std::int64_t> read{0};
  std::promise<void> begun;
  std::atomic<bool> told{false};
  auto reading = sync(*library, tokens_of(2000, 1), Priority::batch, [&](SyncProgress progress) {
    read = progress.done_tokens;
    if (!told.exchange(true)) begun.set_value();
  });
  begun.get_future().wait();
  REQUIRE_OK(sync(*question, tokens_of(700, 2)).get());
  const std::int64_t when_answered = read;
  CHECK(when_answered < 1500);  // 700 interactive tokens take at least 15 steps; equal shares would have read 700 of the library
  // Interactive work without end: the library is read in what is left for it.
  int questions = 0;
  while (reading.wait_for(std::chrono::seconds(0)) != std::future_status::ready && questions < 500) {
    CHECK_OK(sync(*question, tokens_of(300, 3 + questions)).get());
    questions += 1;
  }
  CHECK(questions < 500);
  CHECK_OK(reading.get());
}

CODICIL_TEST(more_answers_than_a_step_has_rows_go_on_alike_and_what_is_read_beside_them_ends_too) {
  const TinyModel model({"qwen2", Type::q4_0});
  const std::unique_ptr<Engine> engine = Engine::open(options_for(model), {}).value();
  constexpr std::size_t kAnswers = 60;  // more than a step has rows for while something is read
  constexpr std::int64_t kLength = 60;
  std::vector<std::unique_ptr<Session>> sessions;
  for (std::size_t i = 0; i < kAnswers; ++i) {
    sessions.push_back(engine->open_session().value());
    REQUIRE_OK(sync(*sessions.back(), tokens_of(5 + static_cast<std::int64_t>(i), static_cast<int>(i))).get());
  }
  // Told on the driver thread, one token after the other. From the first moment at which all run to the last, nobody is more than two tokens ahead.
  std::vector<std::int64_t> told(kAnswers, 0), told_at_start;
  std::int64_t most_ahead = 0, compared = 0;
  const auto on_token = [&](std::size_t i) {
    told[i] += 1;
    if (told_at_start.empty() && *std::min_element(told.begin(), told.end()) > 0) told_at_start = told;
    if (told_at_start.empty() || *std::max_element(told.begin(), told.end()) == kLength) return;
    std::vector<std::int64_t> since(kAnswers);
    for (std::size_t k = 0; k < kAnswers; ++k) since[k] = told[k] - told_at_start[k];
    const auto [least, most] = std::minmax_element(since.begin(), since.end());
    most_ahead = std::max(most_ahead, *most - *least);
    compared += 1;
  };
  std::vector<std::future<Result<Generated>>> answers;
  const std::unique_ptr<Session> library = engine->open_session().value();
  auto reading = sync(*library, tokens_of(2000, 9), Priority::batch);
  for (std::size_t i = 0; i < kAnswers; ++i) {
    GenerateOptions options = endless(kLength);
    options.drafting = Drafting::off;
    answers.push_back(generate(*sessions[i], options, [&on_token, i](Token token, std::string_view) {
      if (token >= 0) on_token(i);
    }));
  }
  for (auto& answer : answers) CHECK_EQ(answer.get().value().tokens.size(), static_cast<std::size_t>(kLength));
  CHECK_OK(reading.get());
  CHECK(compared > 0);
  CHECK(most_ahead <= 2);
}

// A step goes on for the others when one of its jobs is cancelled; what any of them holds afterwards is what it would hold anyway.
CODICIL_TEST(a_cancel_at_any_moment_leaves_every_session_right) {
  for (const char* architecture : {"llama", "qwen35"}) {
    const TinyModel model({architecture, Type::q4_0});
    const std::unique_ptr<Engine> engine = Engine::open(options_for(model), {}).value();
    GenerateOptions options;
    options.max_tokens = 6;
    const auto answer = [&](const std::vector<Token>& prefix) {
      const std::unique_ptr<Session> session = engine->open_session().value();
      CHECK_OK(sync(*session, prefix).get());
      return generate(*session, options).get().value().logprobs;
    };
    const std::vector<Token> text = tokens_of(800, 4), other_text = tokens_of(500, 5);
    const std::vector<double> expected = answer(text), expected_other = answer(other_text);
    int ended_early = 0;
    for (int round = 0; round < 40; ++round) {
      std::vector<Token> fresh = text, fresh_other = other_text;
      fresh.insert(fresh.begin(), static_cast<Token>(round));  // no page is known
      fresh_other.insert(fresh_other.begin(), static_cast<Token>(round));
      const std::unique_ptr<Session> one = engine->open_session().value(), two = engine->open_session().value();
      auto first = sync(*one, fresh, round % 2 == 0 ? Priority::batch : Priority::interactive);
      auto second = sync(*two, fresh_other);
      auto queued = generate(*one, options);
      std::this_thread::sleep_for(std::chrono::microseconds(round * 150));
      one->cancel();
      ended_early += first.get().code() == Code::cancelled ? 1 : 0;
      CHECK(queued.get().ok());
      CHECK_OK(second.get());
      CHECK_OK(sync(*two, other_text).get());
      CHECK(generate(*two, options).get().value().logprobs == expected_other);
      CHECK_OK(sync(*one, text).get());
      CHECK(generate(*one, options).get().value().logprobs == expected);
    }
    CHECK(ended_early > 0);
  }
}

CODICIL_TEST(a_machine_in_distress_pauses_long_reads_only_and_lets_them_go_on) {
  namespace fs = std::filesystem;
  const TinyModel model({"qwen35", Type::q4_0});
  const fs::path folder = fs::path(model.path() + ".sensors");
  fs::create_directories(folder / "proc/pressure");
  const auto pressure = [&](const char* percent) {
    const fs::path target = folder / "proc/pressure/memory", next = folder / "next";
    std::ofstream(next) << "some avg10=" << percent << " avg60=0.00 avg300=0.00 total=0\n";
    fs::rename(next, target);  // never half a file
  };
  pressure("80.00");
  EngineOptions options = options_for(model);
  options.sensor_folder = folder.string();
  const std::unique_ptr<Engine> engine = Engine::open(options, {}).value();
  const std::unique_ptr<Session> library = engine->open_session().value(), question = engine->open_session().value();
  auto reading = sync(*library, tokens_of(2000, 1));
  CHECK_OK(sync(*question, tokens_of(60, 2)).get());
  CHECK_EQ(generate(*question, endless(30)).get().value().tokens.size(), 30u);
  CHECK(reading.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready);
  const MachineTelemetry machine = engine->stats().machine;
  CHECK_EQ(machine.pace, std::string("pause"));
  CHECK_EQ(machine.pace_reason, std::string("memory_some_percent 80.0"));
  CHECK_EQ(machine.memory_some_percent.value_or(0), 80.0);
  CHECK(machine.disk_free_bytes.has_value());
  // A paused read can be cancelled, and begun again.
  library->cancel();
  CHECK_EQ(reading.get().code(), Code::cancelled);
  reading = sync(*library, tokens_of(2000, 1));
  pressure("0.00");
  CHECK_OK(reading.get());
  CHECK_EQ(engine->stats().machine.pace, std::string("full"));
  fs::remove_all(folder);
}

}  // namespace codicil
