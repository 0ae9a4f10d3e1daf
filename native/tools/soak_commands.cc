// engine-cli soak: thousands of random jobs from several threads, and what was slowest of what must be quick.
//
// Owns: the random traffic (reads, answers, scores, forks, cancels, masks, wrong requests), the two latencies that people feel (a running answer's
// longest gap, the time from cancel() to `done`), and the memory before and after. Leaves the promise itself to native/engine.
// Rules that must stay true: every `done` is counted exactly once; an unexpected status ends the soak with exit code 1; what is timed is timed
// from outside, through the door.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "native/device/machine.h"
#include "native/tools/commands.h"

namespace codicil::tools {

namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

// The longest and the number of all.
class Longest {
 public:
  void add(double seconds) {
    const std::scoped_lock lock(mutex_);
    longest_ = std::max(longest_, seconds);
    count_ += 1;
  }
  double ms() const { return longest_ * 1000; }
  std::int64_t count() const { return count_; }

 private:
  std::mutex mutex_;
  double longest_ = 0;
  std::int64_t count_ = 0;
};

struct Shared {
  Shared(Engine& engine_in, std::int64_t longest_in) : engine(engine_in), longest(longest_in) {}
  Engine& engine;
  const std::int64_t longest;
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> submitted{0}, done{0}, cancelled{0}, failed{0}, full{0};
  Longest cancels{}, gaps{}, reads{};
  std::mutex mutex{};
  std::string unexpected{};

  void ended(const Status& status, bool wrong_on_purpose) {
    done += 1;
    if (status.code() == Code::cancelled) cancelled += 1;
    if (status.code() == Code::does_not_fit) full += 1;
    if (status.code() == Code::invalid_request) failed += 1;
    const bool expected = status.ok() || status.code() == Code::cancelled || status.code() == Code::does_not_fit ||
                          (wrong_on_purpose && (status.code() == Code::invalid_request || status.code() == Code::context_full));
    if (expected) return;
    const std::scoped_lock lock(mutex);
    if (unexpected.empty()) unexpected = status.message();
  }
};

// Waits for one job at a time, and measures a cancel in its middle.
class Caller {
 public:
  Caller(Shared& shared, std::uint64_t seed) : shared_(shared), random_(seed) {}

  void run() {
    while (!shared_.stop) {
      if (!session_ || random_.chance(15)) open();
      one_job();
      if (session_->tokens() > 0 && random_.chance(20)) {
        Result<std::unique_ptr<Session>> fork = session_->fork();
        if (fork.ok()) session_ = std::move(fork).value();
      }
    }
    session_.reset();
  }

 private:
  void open() {
    session_.reset();
    if (Result<std::unique_ptr<Session>> opened = shared_.engine.open_session(); opened.ok()) session_ = std::move(opened).value();
  }

  // One of eight documents, so that prefixes are shared, then something of its own.
  std::vector<Token> text() {
    const std::int64_t kind = random_.below(10), vocab = std::min<std::int64_t>(shared_.engine.model().vocab, 20'000);
    const std::int64_t size = 1 + random_.below(kind < 6 ? 300 : kind < 9 ? 2000 : shared_.longest);
    const std::uint64_t document = random_.next() % 8;
    Random words(document);
    std::vector<Token> out;
    for (std::int64_t i = 0; i < size; ++i) out.push_back(static_cast<Token>(words.below(vocab / 4)));
    for (std::int64_t i = random_.below(20); i > 0; --i) out.push_back(static_cast<Token>(random_.below(vocab)));
    return out;
  }

  GenerateOptions options() {
    GenerateOptions o;
    o.max_tokens = 1 + random_.below(40);
    o.temperature = random_.chance(50) ? 0.0f : 0.9f;
    o.top_p = random_.chance(50) ? 1.0f : 0.9f;
    o.seed = random_.next();
    o.repetition_penalty = random_.chance(70) ? 1.0f : 1.2f;
    o.priority = random_.chance(50) ? Priority::batch : Priority::interactive;
    o.drafting = random_.chance(30) ? Drafting::off : Drafting::automatic;
    if (random_.chance(20)) o.stop = {"e", "the"};
    if (random_.chance(25)) {
      auto mask = std::make_shared<TokenMask>();
      mask->states.resize(2);
      for (Token t = 10; t < 60; ++t) mask->states[0].edges.push_back({t, t % 2});
      mask->states[1].any_next = 0;
      mask->states[1].may_end = true;
      o.mask = mask;
    }
    return o;
  }

  void one_job() {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = false;
    }
    shared_.submitted += 1;
    bool wrong = false;
    const auto end = [this](const Status& status, bool on_purpose) {
      shared_.ended(status, on_purpose);
      const std::scoped_lock lock(mutex_);
      ended_ = true;
      ended_at_ = Clock::now();
      wake_.notify_all();
    };
    const std::int64_t kind = random_.below(10);
    const bool empty = session_->tokens() == 0;
    if (kind < 5) {
      std::vector<Token> prefix = text();
      if ((wrong = random_.chance(3))) prefix.back() = static_cast<Token>(shared_.engine.model().vocab);
      session_->sync(
          std::move(prefix), {}, [end, wrong](Result<SyncReport> r) { end(r.ok() ? Status() : r.status(), wrong); },
          random_.chance(50) ? Priority::batch : Priority::interactive);
    } else if (kind < 9) {
      GenerateOptions o = options();
      if (random_.chance(3)) o.temperature = -1, wrong = true;
      wrong |= empty;
      session_->generate(std::move(o), {}, [end, wrong](Result<Generated> r) { end(r.ok() ? Status() : r.status(), wrong); });
    } else {
      session_->score(text(), [end, empty](Result<std::vector<double>> r) { end(r.ok() ? Status() : r.status(), empty); });
    }
    std::unique_lock lock(mutex_);
    if (random_.chance(30)) {
      const auto when = std::chrono::microseconds(random_.below(150'000));
      if (!wake_.wait_for(lock, when, [this] { return ended_; })) {
        lock.unlock();
        const Clock::time_point asked = Clock::now();
        session_->cancel();
        lock.lock();
        wake_.wait(lock, [this] { return ended_; });
        shared_.cancels.add(seconds_between(asked, ended_at_));
        return;
      }
    }
    wake_.wait(lock, [this] { return ended_; });
  }

  Shared& shared_;
  Random random_;
  std::unique_ptr<Session> session_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  Clock::time_point ended_at_{};
};

// An answer that goes on and on: how long its reader waits for the next token.
void answer_without_end(Shared& shared) {
  auto mask = std::make_shared<TokenMask>();
  mask->states.resize(1);
  mask->states[0].any_next = 0;
  GenerateOptions o;
  o.max_tokens = 200;
  o.mask = mask;
  while (!shared.stop) {
    Result<std::unique_ptr<Session>> session = shared.engine.open_session();
    if (!session.ok()) return;
    shared.submitted += 2;
    shared.ended(sync(*session.value(), {1, 2, 3, 4, 5}).get(), false);
    Clock::time_point last{};
    const Result<Generated> result = generate(*session.value(), o, [&](Token, std::string_view) {
                                       const Clock::time_point now = Clock::now();
                                       if (last != Clock::time_point{}) shared.gaps.add(seconds_between(last, now));
                                       last = now;
                                     }).get();
    shared.ended(result.ok() ? Status() : result.status(), false);
  }
}

// A library that is read in the background, document after document, no two alike.
void read_without_end(Shared& shared, std::uint64_t seed) {
  Random random(seed);
  while (!shared.stop) {
    Result<std::unique_ptr<Session>> session = shared.engine.open_session();
    if (!session.ok()) return;
    std::vector<Token> document;
    for (std::int64_t i = 0; i < shared.longest; ++i)
      document.push_back(static_cast<Token>(random.below(std::min<std::int64_t>(shared.engine.model().vocab, 20'000))));
    shared.submitted += 1;
    std::promise<Status> promise;
    const Clock::time_point start = Clock::now();
    session.value()->sync(std::move(document), {}, [&](Result<SyncReport> r) { promise.set_value(r.ok() ? Status() : r.status()); }, Priority::batch);
    std::future<Status> done = promise.get_future();
    while (done.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready)
      if (shared.stop) session.value()->cancel();
    const Status status = done.get();
    if (status.ok()) shared.reads.add(seconds_between(start, Clock::now()));
    shared.ended(status, false);
  }
}

struct Memory {
  std::int64_t resident, kv;
  explicit Memory(const Engine& engine) {
    const EngineStats stats = engine.stats();
    resident = static_cast<std::int64_t>(stats.resident_bytes);
    kv = static_cast<std::int64_t>(stats.kv.bytes_by_tier[static_cast<std::size_t>(kv::Tier::ram)]);
  }
};

}  // namespace

Status soak_command(const Arguments& a, Engine& engine, JsonWriter& out) {
  const auto seed = static_cast<std::uint64_t>(a.number("--seed", 1));
  const std::int64_t seconds = a.number("--seconds", 60);
  const std::int64_t longest = std::min(a.number("--longest", 6000), engine.model().context_tokens - 64);
  if (longest < 1)
    return Status(Code::invalid_request, "expected a context of at least 65 tokens, found " + std::to_string(engine.model().context_tokens) +
                                             ": choose another model or context");
  std::vector<Memory> memory;  // after warming up, at the end
  Shared shared(engine, longest);
  for (const double share : {0.25, 0.75}) {
    shared.stop = false;
    std::vector<std::thread> threads;
    for (std::int64_t i = 0; i < a.number("--callers", 3); ++i)
      threads.emplace_back([&, i] { Caller(shared, seed * 1000 + static_cast<std::uint64_t>(i) + (share > 0.5 ? 500 : 0)).run(); });
    threads.emplace_back([&] { answer_without_end(shared); });
    threads.emplace_back([&] { read_without_end(shared, seed + (share > 0.5 ? 77 : 7)); });
    std::this_thread::sleep_for(std::chrono::duration<double>(static_cast<double>(seconds) * share));
    shared.stop = true;
    for (std::thread& thread : threads) thread.join();
    memory.emplace_back(engine);
  }
  if (!shared.unexpected.empty()) return Status(Code::internal, "expected only the failures that were provoked, found: " + shared.unexpected);
  EngineStats stats = engine.stats();
  for (int i = 0; i < 100 && stats.running > 0; ++i) {  // a job is done a moment before its session leaves the driver
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    stats = engine.stats();
  }
  const auto beside_pages = [](const Memory& m) { return m.resident - m.kv; };
  out.open('{').field("seconds", seconds).field("jobs", shared.submitted.load()).field("done", shared.done.load());
  out.field("cancelled", shared.cancelled.load()).field("refused", shared.failed.load()).field("withoutRoom", shared.full.load());
  out.field("answerTokens", shared.gaps.count()).field("longestGapMs", shared.gaps.ms());
  out.field("cancels", shared.cancels.count()).field("longestCancelMs", shared.cancels.ms());
  out.field("documentsRead", shared.reads.count()).field("longestReadMs", shared.reads.ms());
  out.field("drafted", static_cast<std::int64_t>(stats.drafted_tokens)).field("accepted", static_cast<std::int64_t>(stats.accepted_tokens));
  out.field("residentBytesWarm", memory[0].resident).field("residentBytesEnd", memory[1].resident);
  out.field("growthBesidePagesBytes", beside_pages(memory[1]) - beside_pages(memory[0]));
  out.field("sessionsLeft", stats.sessions).field("runningLeft", stats.running).field("queuedLeft", stats.queued).close();
  return {};
}

}  // namespace codicil::tools
