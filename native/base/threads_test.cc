// Tests of the pool: coverage, the fixed split, visibility of plain memory (meant for the thread sanitizer), sleep and wake-up.
#include "native/base/threads.h"

#include <array>
#include <chrono>
#include <ctime>
#include <numeric>
#include <thread>
#include <vector>

#include "native/base/test.h"

using codicil::ThreadPool;

namespace {

struct Range {
  std::int64_t begin, end;
  bool operator==(const Range&) const = default;
};

// Ranges by thread index; threads that got nothing keep {0, 0}.
std::vector<Range> split(ThreadPool& pool, std::int64_t begin, std::int64_t end, std::int64_t granularity) {
  std::vector<Range> ranges(static_cast<std::size_t>(pool.threads()), Range{0, 0});
  pool.parallel_for(begin, end, granularity,
                    [&](std::int64_t from, std::int64_t to, int index) { ranges[static_cast<std::size_t>(index)] = {from, to}; });
  return ranges;
}

// Keeps this thread's core busy; the share of the time for which it had it.
double work_for(std::chrono::nanoseconds time) {
  const auto processor_ns = [] {
    std::timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
  };
  const auto start = std::chrono::steady_clock::now();
  const double had = processor_ns();
  std::chrono::nanoseconds spent{0};
  while (spent < time) spent = std::chrono::steady_clock::now() - start;
  return (processor_ns() - had) / static_cast<double>(spent.count());
}

}  // namespace

CODICIL_TEST(covers_every_element_once_for_any_shape) {
  for (const int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    for (const std::int64_t count : {0, 1, 2, 15, 16, 17, 100, 1023}) {
      for (const std::int64_t granularity : {1, 4, 16, 2000}) {
        std::vector<int> hits(static_cast<std::size_t>(count) + 7, 0);
        const auto touch = [&](std::int64_t from, std::int64_t to, int index) {
          if (index < 0 || index >= threads || (from - 7) % granularity != 0) hits[0] += 100;
          for (std::int64_t i = from; i < to; ++i) ++hits[static_cast<std::size_t>(i)];
        };
        pool.parallel_for(7, 7 + count, granularity, touch);
        pool.parallel_for_stealing(7, 7 + count, granularity, touch);
        CHECK_EQ(std::accumulate(hits.begin(), hits.begin() + 7, 0), 0);
        for (std::size_t i = 7; i < hits.size(); ++i) CHECK_EQ(hits[i], 2);
      }
    }
  }
}

CODICIL_TEST(splits_the_same_way_every_time) {
  ThreadPool pool(3);
  const std::vector<Range> first = split(pool, 0, 100, 16);
  CHECK(first == (std::vector<Range>{{0, 48}, {48, 80}, {80, 100}}));
  for (int i = 0; i < 50; ++i) CHECK(split(pool, 0, 100, 16) == first);
  CHECK(split(pool, 0, 16, 16) == (std::vector<Range>{{0, 16}, {0, 0}, {0, 0}}));
}

CODICIL_TEST(shows_the_caller_what_workers_wrote_and_workers_what_the_caller_wrote) {
  ThreadPool pool(4);
  std::vector<std::int64_t> values(64, 1);  // plain memory: only the pool's barrier orders it (the thread sanitizer checks that)
  for (int round = 0; round < 500; ++round) {
    pool.parallel_for(0, 64, 1, [&](std::int64_t from, std::int64_t to, int) {
      for (std::int64_t i = from; i < to; ++i) ++values[static_cast<std::size_t>(i)];
    });
    values[static_cast<std::size_t>(round % 64)] += 1;
  }
  CHECK_EQ(std::accumulate(values.begin(), values.end(), std::int64_t{0}), 64 + 500 * 64 + 500);
}

CODICIL_TEST(wakes_workers_that_have_gone_to_sleep) {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // ten times the spin
    std::array<int, 3> ran{};
    pool.parallel_for(0, 3, 1, [&](std::int64_t, std::int64_t, int index) { ran[static_cast<std::size_t>(index)] = 1; });
    CHECK_EQ(ran[0] + ran[1] + ran[2], 3);
  }
}

CODICIL_TEST(waits_for_a_worker_that_takes_long) {
  ThreadPool pool(2);
  for (int round = 0; round < 5; ++round) {
    std::array<int, 2> ran{};
    pool.parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t, int index) {
      if (index == 1) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      ran[static_cast<std::size_t>(index)] = 1;
    });
    CHECK_EQ(ran[0] + ran[1], 2);
  }
}

CODICIL_TEST(leaves_short_regions_to_the_caller_after_a_worker_has_lost_its_core_and_comes_back) {
  ThreadPool pool(2);
  const std::thread::id caller = std::this_thread::get_id();
  std::array<std::thread::id, 2> ran;
  const auto note = [&](std::int64_t, std::int64_t, int index) { ran[static_cast<std::size_t>(index)] = std::this_thread::get_id(); };
  // A worker that has fallen asleep meanwhile is not held to have lost its core, so this may take more than one attempt.
  bool alone = false;
  for (int attempt = 0; attempt < 500 && !alone; ++attempt) {
    pool.parallel_for(0, 2, 1, note);
    pool.parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t, int index) {
      if (index == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    });
    pool.parallel_for(0, 2, 1, note);
    CHECK(ran[0] == caller);
    alone = ran[1] == caller;
  }
  CHECK(alone);
  bool back = false;
  for (int attempt = 0; attempt < 500 && !back; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pool.parallel_for(0, 2, 1, note);
    back = ran[1] != caller;
  }
  CHECK(back);
}

// With many threads one of them often has the only long piece of a region; that worker lost nothing.
CODICIL_TEST(goes_on_sharing_after_a_worker_had_the_longest_piece) {
  ThreadPool pool(2);
  const std::thread::id caller = std::this_thread::get_id();
  std::thread::id ran, long_one;
  int counted = 0, shared = 0;
  for (int attempt = 0; attempt < 200; ++attempt) {
    double had_share = 0;
    pool.parallel_for(0, 2, 1, [](std::int64_t, std::int64_t, int) {});  // the worker is awake
    pool.parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t, int index) {
      if (index == 0) return;
      long_one = std::this_thread::get_id();
      had_share = work_for(std::chrono::microseconds(800));
    });
    pool.parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t, int index) {
      if (index == 1) ran = std::this_thread::get_id();
    });
    // Another program of this machine had the core, now or before: the caller may well go on alone.
    if (had_share < 0.98 || long_one == caller) continue;
    counted += 1;
    shared += ran != caller;
  }
  if (counted == 0) SKIP("other programs left this machine no core for a millisecond");
  CHECK(2 * shared >= counted);
}
