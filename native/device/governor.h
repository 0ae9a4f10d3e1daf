// The pace at which the engine should read, from what the machine says of itself.
//
// Owns: limits, hysteresis, one log line for each change of pace and each passed limit of the disk. Leaves to the scheduler what a pace
// means (slower: smaller chunks with rests between them; pause: no prefill, answers go on), to the caller when readings are taken.
// Rules that must stay true: a worse reading acts at once, a better one only after kCalmReadings in a row below the limit less its
// margin; what is absent never slows anything; clocks and fans are never set.
#pragma once

#include <array>
#include <string>

#include "native/device/telemetry.h"

namespace codicil::device {

enum class Pace { full, slower, pause };
const char* pace_name(Pace pace);

// A limit is passed at `slower` or `pause` and left again below them less `margin`.
struct Limit {
  double slower, pause, margin;
};

struct GovernorLimits {
  // Desktop processors throttle at 95 (AMD) to 100 (Intel): five degrees before, and where nothing else is left to do.
  Limit cpu_celsius{90, 99, 5};
  // Percent of the base clock that is missing under load: below 90 % the processor is throttled already; at half, something is wrong.
  Limit missing_clock_percent{10, 50, 4};
  // Degrees above the temperature at which the device slows itself down: as far before it as with processors, and at it.
  Limit gpu_celsius_over_limit{-5, 0, 5};
  // 1: a GPU runs below its clock because of heat or lack of power. Less work is all that helps, and it does so by itself: no pause.
  Limit gpu_throttled{1, 2, 0};
  // Some work waiting for memory a fifth of the time can be felt; half of it means that pages go in and out.
  Limit memory_some_percent{20, 50, 10};
  double disk_free_bytes = 2.0 * (1u << 30);  // a long prefill writes about this much
  double disk_free_inodes = 10'000;           // one file a page
};

class Governor {
 public:
  static constexpr int kCalmReadings = 3;  // at one reading a second: long enough that a fan's first breath does not count
  explicit Governor(const GovernorLimits& limits = {}) : limits_(limits) {}

  // `busy`: the engine computed since the last reading. An idle processor lowers its clock by itself. GPUs are those that the engine computes on.
  Pace update(const Telemetry& now, bool busy);
  Pace pace() const { return pace_; }
  const std::string& reason() const { return reason_; }  // of the current pace; empty: full
  bool disk_is_low() const { return bytes_low_ || inodes_low_; }

 private:
  static Pace judge(const Limit& limit, Pace before, double value);
  void watch_disk(const Telemetry& now);

  GovernorLimits limits_;
  Pace pace_ = Pace::full;
  std::array<Pace, 5> signals_{};  // by kind of reading, each with its own hysteresis
  std::string reason_;
  int calm_ = 0;
  bool bytes_low_ = false, inodes_low_ = false;
};

}  // namespace codicil::device
