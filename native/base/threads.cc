// The barrier behind threads.h: a generation counter that workers watch, a count of those still running that the caller watches.
// Both sides spin first and sleep later (futex by std::atomic::wait); comments at each pair of operations say why no wake-up is lost.
#include "native/base/threads.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <system_error>

#if defined(__linux__)
#include <pthread.h>

#include <ctime>
#endif

namespace codicil {
namespace {

// Longer than the serial gaps inside a decode step (sampling, page bookkeeping: tens of microseconds), far shorter than a person notices.
constexpr std::int64_t kSpinNs = 200'000;
// After that the core is offered to whoever waits for it: on an idle machine the offer costs 0.3 us, on a busy one it may be our own worker.
constexpr std::int64_t kOfferNs = 20'000;
constexpr int kPausesPerClockRead = 64;  // a clock read costs about as much as one pause

// A crowded machine: the caller waits for longer than this, and meanwhile no worker that it waits for gets half a core. Another program has that core
// (or had the caller's, when it was offered), which costs a time slice of milliseconds where a region is 10 us of work. Longer regions bear it. A
// share that is only larger than the caller's (one piece of attention among 16 threads) is no crowd: its thread's clock runs on. (So it does where a
// host takes a virtual processor away and does not say so: that is borne too.)
constexpr std::int64_t kCrowdedWaitNs = 50'000;
constexpr std::int64_t kShortRegionNs = 1'000'000;
// For so long the caller then works alone; twice as long each time the workers come back into a crowd, so that trying costs 5 % at most.
constexpr std::int64_t kAloneNs = 4'000'000;
constexpr std::int64_t kAloneMostNs = 512'000'000;
constexpr int kCalmRegions = 2000;  // some ten tokens of decode without such a wait, and the machine counts as quiet

using Clock = std::chrono::steady_clock;
std::int64_t now_ns() { return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count(); }

inline void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins until ready() or `most_ns` have passed; true when ready.
template <typename Ready>
bool spin_until(const Ready& ready, std::int64_t most_ns = kSpinNs) {
  const Clock::time_point start = Clock::now();
  for (std::chrono::nanoseconds spent{0}; spent.count() < most_ns; spent = Clock::now() - start) {
    if (spent.count() > kOfferNs) std::this_thread::yield();
    for (int i = 0; i < kPausesPerClockRead; ++i) {
      if (ready()) return true;
      pause_core();
    }
  }
  return ready();
}

}  // namespace

// Processor time that a thread has had; -1: the system does not say.
std::int64_t ThreadPool::Worker::processor_ns() {
#if defined(__linux__)
  clockid_t clock;
  std::timespec time{};
  if (pthread_getcpuclockid(thread.native_handle(), &clock) == 0 && clock_gettime(clock, &time) == 0)
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
#endif
  return -1;
}

ThreadPool::ThreadPool(int threads) : threads_(std::max(threads, 1)), alone_ns_(kAloneNs) {
  for (int i = 1; i < threads_; ++i) {
    Worker& worker = workers_.emplace_back();
    try {
      worker.thread = std::thread([this, i, &worker] { worker_loop(i, worker); });
    } catch (const std::system_error&) {
      workers_.pop_back();  // the system gives no more: slower is better than not at all
      threads_ = i;
    }
  }
}

ThreadPool::~ThreadPool() {
  stopping_.store(true);
  generation_.fetch_add(1);
  generation_.notify_all();
  for (Worker& worker : workers_) worker.thread.join();
}

void ThreadPool::work(int thread_index) {
  const auto granule_start = [this](std::int64_t granule) { return std::min(job_.begin + granule * job_.granularity, job_.end); };
  if (job_.stealing) {
    for (;;) {
      const std::int64_t granule = next_granule_.fetch_add(1, std::memory_order_relaxed);
      if (granule >= job_.granules) return;
      job_.call(job_.fn, granule_start(granule), granule_start(granule + 1), thread_index);
    }
  }
  // The first `extra` threads get one granule more.
  const std::int64_t each = job_.granules / threads_, extra = job_.granules % threads_;
  const std::int64_t first = thread_index * each + std::min<std::int64_t>(thread_index, extra);
  const std::int64_t last = first + each + (thread_index < extra ? 1 : 0);
  if (first < last) job_.call(job_.fn, granule_start(first), granule_start(last), thread_index);
}

void ThreadPool::run(const Job& job) {
  if (job.granules == 0) return;
  if (threads_ == 1 || job.granules == 1) {
    if (!job.stealing) return job.call(job.fn, job.begin, job.end, 0);
    for (std::int64_t at = job.begin; at < job.end; at += job.granularity) job.call(job.fn, at, std::min(at + job.granularity, job.end), 0);
    return;
  }
  assert(running_.load(std::memory_order_relaxed) == 0 && "one thread calls the pool at a time, and never from inside fn");
  job_ = job;
  next_granule_.store(0, std::memory_order_relaxed);
  const std::int64_t start = now_ns();
  if (start < alone_until_ns_) {
    for (int i = 0; i < (job.stealing ? 1 : threads_); ++i) work(i);
    return;
  }
  running_.store(threads_ - 1, std::memory_order_relaxed);
  // Sequentially consistent with the worker's `sleepers_` then `generation_`: either this thread sees the sleeper and wakes it, or the
  // sleeper sees the new generation and does not sleep. The same pair orders job_ before the worker reads it.
  generation_.fetch_add(1);
  const bool asleep = sleepers_.load() > 0;
  if (asleep) generation_.notify_all();
  work(0);
  const auto done = [this] { return running_.load(std::memory_order_acquire) == 0; };
  if (done()) return note_region(false);
  const bool judged = !asleep && now_ns() - start <= kShortRegionNs;
  if (spin_until(done, kOfferNs)) return note_region(false);  // no core was offered yet
  if (judged) sample_late_workers();
  const std::int64_t waiting_since = now_ns();
  wait_for_workers();
  note_region(judged && is_robbed(now_ns() - waiting_since));
}

void ThreadPool::sample_late_workers() {
  const std::uint32_t generation = generation_.load(std::memory_order_relaxed);
  for (Worker& worker : workers_) worker.had_ns = worker.finished.load(std::memory_order_relaxed) != generation ? worker.processor_ns() : -1;
}

// See kCrowdedWaitNs. A worker that was done early has its own wait on its clock as well, the last one its work: the longest counts.
bool ThreadPool::is_robbed(std::int64_t waited_ns) {
  if (waited_ns <= kCrowdedWaitNs) return false;
  std::int64_t longest = -1;
  for (Worker& worker : workers_)
    if (worker.had_ns >= 0) longest = std::max(longest, worker.processor_ns() - worker.had_ns);
  return longest >= 0 && longest < waited_ns / 2;
}

// Whether the next regions are the caller's alone.
void ThreadPool::note_region(bool robbed) {
  if (!robbed) {
    if (calm_regions_ < kCalmRegions && ++calm_regions_ == kCalmRegions) alone_ns_ = kAloneNs;
    return;
  }
  calm_regions_ = 0;
  alone_until_ns_ = now_ns() + alone_ns_;
  alone_ns_ = std::min(2 * alone_ns_, kAloneMostNs);
}

void ThreadPool::wait_for_workers() {
  if (spin_until([this] { return running_.load(std::memory_order_acquire) == 0; })) return;
  caller_sleeps_.store(true);  // same pairing as above, with the last worker's running_ then caller_sleeps_
  for (std::int32_t left = running_.load(); left != 0; left = running_.load()) running_.wait(left);
  caller_sleeps_.store(false);
}

void ThreadPool::worker_loop(int thread_index, Worker& self) {
  std::uint32_t seen = 0;
  for (;;) {
    if (!spin_until([&] { return generation_.load(std::memory_order_acquire) != seen; })) {
      sleepers_.fetch_add(1);
      generation_.wait(seen);
      sleepers_.fetch_sub(1);
    }
    if (stopping_.load()) return;
    ++seen;
    work(thread_index);
    self.finished.store(seen, std::memory_order_relaxed);
    if (running_.fetch_sub(1) == 1 && caller_sleeps_.load()) running_.notify_all();
  }
}

}  // namespace codicil
