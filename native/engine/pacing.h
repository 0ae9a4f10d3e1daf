// Pacing: what the machine's readings mean for the next step.
//
// Owns: the governor and when the sensors are read. Leaves limits and hysteresis to device/governor.h, batches to the scheduler.
// Threads: every method may be called from any thread (the driver asks before each step, stats() between them).
// Rules that must stay true: only reading is slowed, answers never; what a pause holds back goes on where it stood; a short read (a question)
// is never held back.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>

#include "native/device/governor.h"
#include "native/engine/engine.h"

namespace codicil {

class Pacing {
 public:
  using Clock = std::chrono::steady_clock;
  // A question and its window's end are shorter than this; a document is longer.
  static constexpr std::int64_t kShortRead = 1024;
  static constexpr std::chrono::milliseconds kReadingInterval{1000};

  explicit Pacing(std::function<device::Telemetry()> read, const device::GovernorLimits& limits = {}) : read_(std::move(read)), governor_(limits) {}

  // Reads the sensors when the last reading is a second old. `computed`: a step was taken since the last call.
  void refresh(Clock::time_point now, bool computed);
  // Share of the time that a step of reading may take, and of the time after it that the processor rests.
  double step_share() const;
  double rest_share() const;
  bool holds_back(Priority priority, std::int64_t tokens_left) const;
  MachineTelemetry telemetry() const;

 private:
  const std::function<device::Telemetry()> read_;
  mutable std::mutex mutex_;
  device::Governor governor_;
  device::Telemetry now_;
  Clock::time_point read_at_{};
  bool computed_ = false;
};

}  // namespace codicil
