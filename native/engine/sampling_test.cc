// Choosing tokens through the whole engine: every option repeats for its seed at any thread count, and masks that come step by step from
// outside are obeyed without holding up other sessions.

#include <algorithm>
#include <chrono>
#include <future>
#include <limits>
#include <memory>
#include <thread>

#include "native/base/test.h"
#include "native/engine/engine.h"
#include "native/engine/tiny_model_test_builder.h"
#include "native/model/sampler.h"

namespace codicil {
namespace {

using test::TinyModel;
constexpr std::size_t kWords = (300 + 31) / 32;  // of the tiny vocabulary

std::unique_ptr<Engine> open(const TinyModel& model, int threads) {
  EngineOptions options;
  options.model_path = model.path();
  options.threads = threads;
  options.ram_budget_bytes = 32u << 20;
  return std::move(Engine::open(options, {})).value();
}

const std::vector<Token> kPrefix = {5, 90, 17, 200, 33, 90};

std::unique_ptr<Session> begin(Engine& engine) {
  std::unique_ptr<Session> session = engine.open_session().value();
  session->sync(kPrefix, {}, [](const Result<SyncReport>&) {});
  return session;
}

// Waits until the session holds the prefix: what is cancelled next is then not its sync.
void hold(Session& session) {
  std::promise<bool> held;
  session.sync(kPrefix, {}, [&held](const Result<SyncReport>& report) { held.set_value(report.ok()); });
  CHECK(held.get_future().get());
}

std::future<Generated> generate(Session& session, GenerateOptions options, std::function<void(Token, std::string_view)> on_text = {}) {
  const auto promise = std::make_shared<std::promise<Generated>>();
  session.generate(std::move(options), std::move(on_text), [promise](Result<Generated> result) {
    CHECK_OK(result);
    promise->set_value(result.ok() ? std::move(result).value() : Generated());
  });
  return promise->get_future();
}

GenerateOptions stepwise(std::int64_t max_tokens) {
  GenerateOptions options;
  options.max_tokens = max_tokens;
  options.step_masks = true;
  return options;
}

bool ready(const std::future<Generated>& future, int ms = 0) { return future.wait_for(std::chrono::milliseconds(ms)) == std::future_status::ready; }

}  // namespace

CODICIL_TEST(every_option_gives_the_same_tokens_for_its_seed_at_any_thread_count) {
  const TinyModel model({"qwen3", kernels::Type::q4_0});
  std::vector<std::vector<Token>> expected;
  for (const int threads : {1, 2, 3}) {
    const std::unique_ptr<Engine> engine = open(model, threads);
    std::vector<std::unique_ptr<Session>> sessions;
    std::vector<std::future<Generated>> results;
    for (int code = 0; code < 128; ++code) {  // all at once: what shares a batch must not matter either
      GenerateOptions options;
      options.max_tokens = 10;
      options.seed = static_cast<std::uint64_t>(1000 + code);
      if (code & 1) options.temperature = 1.3f;
      if (code & 2) options.top_k = 15;
      if (code & 4) options.top_p = 0.8f;
      if (code & 8) options.min_p = 0.05f;
      if (code & 16) options.repetition_penalty = 1.2f;
      if (code & 32) options.presence_penalty = 0.9f;
      if (code & 64) options.mask = std::make_shared<TokenMask>(TokenMask{{TokenMask::State{{{7, 0}, {8, 0}, {9, 0}, {250, 0}}, -1, false}}});
      sessions.push_back(begin(*engine));
      results.push_back(generate(*sessions.back(), options));
    }
    std::vector<std::vector<Token>> found;
    for (auto& result : results) found.push_back(result.get().tokens);
    if (threads == 1) expected = found;
    CHECK(found == expected);
  }
}

CODICIL_TEST(a_presence_penalty_keeps_greedy_text_from_repeating) {
  const TinyModel model({"llama", kernels::Type::f32});
  const std::unique_ptr<Engine> engine = open(model, 2);
  GenerateOptions options;
  options.max_tokens = 40;
  options.presence_penalty = 1000;
  const std::unique_ptr<Session> session = begin(*engine);
  std::vector<Token> tokens = generate(*session, options).get().tokens;
  std::sort(tokens.begin(), tokens.end());
  CHECK(tokens.size() > 3 && std::adjacent_find(tokens.begin(), tokens.end()) == tokens.end());
  options.presence_penalty = std::numeric_limits<float>::infinity();
  const auto promise = std::make_shared<std::promise<Code>>();
  session->generate(options, {}, [promise](Result<Generated> result) { promise->set_value(result.status().code()); });
  CHECK_EQ(promise->get_future().get(), Code::invalid_request);
}

CODICIL_TEST(masks_that_allow_everything_change_nothing_and_others_are_obeyed) {
  for (const char* architecture : {"llama", "qwen35"}) {
    const TinyModel model({architecture, kernels::Type::q4_0});
    const std::unique_ptr<Engine> engine = open(model, 2);
    GenerateOptions plain;
    plain.max_tokens = 12;
    plain.temperature = 1;
    plain.seed = 3;
    GenerateOptions masked = plain;
    masked.step_masks = true;
    const std::unique_ptr<Session> one = begin(*engine), two = begin(*engine), three = begin(*engine);
    const Generated expected = generate(*one, plain).get();
    const auto offering = [](Session& session, std::int64_t& step, auto bits_of) {
      return [&session, &step, bits_of](Token token, std::string_view) {
        if (token >= 0) step += 1, session.offer_mask(step, bits_of(step));
      };
    };
    std::int64_t step = 0, other_step = 0;
    const auto everything = [](std::int64_t) { return std::vector<std::uint32_t>(kWords, ~0u); };
    auto same = generate(*two, masked, offering(*two, step, everything));
    two->offer_mask(0, everything(0));
    const Generated found = same.get();
    CHECK(found.tokens == expected.tokens && found.logprobs == expected.logprobs && found.end == expected.end);

    const auto one_token = [](std::int64_t s) {
      std::vector<std::uint32_t> bits(kWords);
      const auto token = static_cast<std::size_t>(20 + 30 * s);
      bits[token / 32] = 1u << (token % 32);
      return bits;
    };
    masked.max_tokens = 5;
    auto forced = generate(*three, masked, offering(*three, other_step, one_token));
    three->offer_mask(0, one_token(0));
    CHECK((forced.get().tokens == std::vector<Token>{20, 50, 80, 110, 140}));
  }
}

CODICIL_TEST(a_step_without_its_mask_waits_and_other_sessions_do_not) {
  const TinyModel model({"llama", kernels::Type::q4_0});
  const std::unique_ptr<Engine> engine = open(model, 2);
  const std::unique_ptr<Session> waiting = begin(*engine), other = begin(*engine);
  auto held = generate(*waiting, stepwise(2));
  GenerateOptions plain;
  plain.max_tokens = 30;
  (void)generate(*other, plain).get();
  CHECK(!ready(held, 50));
  const std::vector<std::uint32_t> all(kWords, ~0u);
  waiting->offer_mask(1, all);  // of a later step: not yet
  CHECK(!ready(held, 50));
  waiting->offer_mask(0, all);
  CHECK(!ready(held, 50));
  waiting->offer_mask(1, all);
  CHECK(held.get().tokens.size() >= 1);
}

CODICIL_TEST(a_waiting_step_ends_by_cancel_by_an_empty_mask_and_by_closing) {
  const TinyModel model({"llama", kernels::Type::q4_0});
  std::unique_ptr<Engine> engine = open(model, 2);
  const std::unique_ptr<Session> session = begin(*engine);
  hold(*session);
  auto cancelled = generate(*session, stepwise(4));
  CHECK(!ready(cancelled, 30));
  session->cancel();
  CHECK_EQ(cancelled.get().end, Generated::End::cancelled);

  auto nothing = generate(*session, stepwise(4));
  session->offer_mask(0, std::vector<std::uint32_t>(kWords));
  CHECK_EQ(nothing.get().end, Generated::End::mask);

  std::vector<std::uint32_t> end_only(kWords);
  end_only[TinyModel::kEnd / 32] = 1u << (TinyModel::kEnd % 32);
  auto ended = generate(*session, stepwise(4));
  session->offer_mask(0, end_only);
  CHECK_EQ(ended.get().end, Generated::End::end_token);

  // Probes alone need no mask; an old one must not serve the next generation.
  session->offer_mask(0, end_only);
  GenerateOptions probe = stepwise(0);
  probe.probes = {1, 2};
  CHECK_EQ(generate(*session, probe).get().probe_logprobs.size(), 2u);
  auto last = generate(*session, stepwise(4));
  CHECK(!ready(last, 50));
  engine.reset();
  CHECK_EQ(last.get().end, Generated::End::cancelled);
}

CODICIL_TEST(masks_from_another_thread_find_their_step) {
  const TinyModel model({"llama", kernels::Type::q4_0});
  const std::unique_ptr<Engine> engine = open(model, 2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&engine, i] {
      const std::unique_ptr<Session> session = begin(*engine);
      std::promise<void> chosen[6];
      std::size_t count = 0;
      auto result = generate(*session, stepwise(6), [&](Token token, std::string_view) {
        if (token >= 0) chosen[count++].set_value();
      });
      std::vector<Token> wanted;
      for (std::size_t step = 0; step < 6; ++step) {
        if (step > 0) chosen[step - 1].get_future().wait();
        const std::size_t token = 40 * step + static_cast<std::size_t>(i);
        std::vector<std::uint32_t> bits(kWords);
        bits[token / 32] = 1u << (token % 32);
        wanted.push_back(static_cast<Token>(token));
        session->offer_mask(static_cast<std::int64_t>(step), std::move(bits));
      }
      CHECK(result.get().tokens == wanted);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace codicil
