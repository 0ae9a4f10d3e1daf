// ThreadPool: the engine's arithmetic on n cores, the caller's included.
//
// Owns: n - 1 worker threads and the barrier between them and the caller. Leaves to callers: what is computed, and that ranges are
// independent. Between two calls that follow closely a worker spins (a layer has about eight barriers, some 10 us apart: a futex
// wake would cost as much as the work); after about kSpinNs without work it sleeps and costs nothing. Where other programs take the workers' cores away
// the caller does short regions alone for a while, so that many threads are not slower than one.
// Rules that must stay true: one thread calls at a time (the engine's driver); no lock and no allocation in a call; the split depends on
// (begin, end, granularity, threads) only; everything that fn wrote is visible to the caller on return, and to the next call's fn.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <type_traits>

namespace codicil {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);  // >= 1, the caller counts as one
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // Calls fn(range_begin, range_end, thread_index) once per thread that got work. [begin, end) is cut into granules of `granularity`
  // (the last may be shorter); thread i gets one contiguous run of granules, runs differ by at most one. thread_index is in
  // [0, threads()) and no two calls with one index overlap; 0 is the caller. Returns when all are done. fn must not throw and must not call the pool.
  template <typename F>
  void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t granularity, F&& fn) {
    Job job = make_job(begin, end, granularity, fn);
    job.stealing = false;
    run(job);
  }

  // Same contract, but each thread takes the next granule when it is free: fn is called once per granule. For work of uneven cost (attention
  // over sequences of different lengths), and where another process takes a core away for a while. Results must not depend on who did what.
  template <typename F>
  void parallel_for_stealing(std::int64_t begin, std::int64_t end, std::int64_t granularity, F&& fn) {
    Job job = make_job(begin, end, granularity, fn);
    job.stealing = true;
    run(job);
  }

 private:
  using Call = void (*)(void* fn, std::int64_t begin, std::int64_t end, int thread_index);
  struct Job {
    Call call = nullptr;
    void* fn = nullptr;
    std::int64_t begin = 0, end = 0, granularity = 1, granules = 0;
    bool stealing = false;
  };

  template <typename F>
  static Job make_job(std::int64_t begin, std::int64_t end, std::int64_t granularity, F& fn) {
    Job job;
    job.call = [](void* target, std::int64_t from, std::int64_t to, int index) {
      (*static_cast<std::remove_reference_t<F>*>(target))(from, to, index);
    };
    job.fn = const_cast<void*>(static_cast<const void*>(&fn));
    job.begin = begin;
    job.end = end;
    job.granularity = granularity < 1 ? 1 : granularity;
    job.granules = end > begin ? (end - begin + job.granularity - 1) / job.granularity : 0;
    return job;
  }

  void run(const Job& job);
  void work(int thread_index);  // one thread's share of job_
  struct alignas(64) Worker {
    std::thread thread{};
    std::atomic<std::uint32_t> finished{0};  // the last generation it is done with
    std::int64_t had_ns = -1;                // the caller's: processor time when it began to wait; -1: this one was done
    std::int64_t processor_ns();
  };
  void worker_loop(int thread_index, Worker& self);
  void wait_for_workers();
  void sample_late_workers();
  bool is_robbed(std::int64_t waited_ns);
  void note_region(bool robbed);

  int threads_;
  Job job_;                                               // written by the caller before generation_ moves, read by workers after
  alignas(64) std::atomic<std::uint32_t> generation_{0};  // moves once per call
  alignas(64) std::atomic<std::int32_t> running_{0};      // workers that have not finished this generation
  alignas(64) std::atomic<std::int64_t> next_granule_{0};
  alignas(64) std::atomic<std::int32_t> sleepers_{0};  // workers inside generation_.wait()
  std::int64_t alone_until_ns_ = 0, alone_ns_;         // the caller's own, with calm_regions_
  int calm_regions_ = 0;
  std::atomic<bool> caller_sleeps_{false};
  std::atomic<bool> stopping_{false};
  std::deque<Worker> workers_;  // [threads_ - 1], where they were made
};

}  // namespace codicil
