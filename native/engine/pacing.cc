#include "native/engine/pacing.h"

namespace codicil {

namespace {

// Slower: chunks of half the length, and after each the processor rests as long as it took. A quarter of the heat, and a question still gets in.
constexpr double kSlowerStep = 0.5, kSlowerRest = 1.0;

}  // namespace

void Pacing::refresh(Clock::time_point now, bool computed) {
  const std::scoped_lock lock(mutex_);
  computed_ |= computed;
  if (read_at_ != Clock::time_point{} && now - read_at_ < kReadingInterval) return;
  now_ = read_();
  governor_.update(now_, computed_);
  read_at_ = now;
  computed_ = false;
}

double Pacing::step_share() const {
  const std::scoped_lock lock(mutex_);
  return governor_.pace() == device::Pace::full ? 1 : kSlowerStep;
}

double Pacing::rest_share() const {
  const std::scoped_lock lock(mutex_);
  return governor_.pace() == device::Pace::full ? 0 : kSlowerRest;
}

bool Pacing::holds_back(Priority priority, std::int64_t tokens_left) const {
  const std::scoped_lock lock(mutex_);
  return governor_.pace() == device::Pace::pause && (priority == Priority::batch || tokens_left > kShortRead);
}

MachineTelemetry Pacing::telemetry() const {
  const std::scoped_lock lock(mutex_);
  MachineTelemetry out;
  out.cpu_celsius = now_.cpu_celsius;
  out.cpu_mhz = now_.cpu_mhz;
  out.cpu_base_mhz = now_.cpu_base_mhz;
  out.memory_some_percent = now_.memory_some_percent;
  out.memory_full_percent = now_.memory_full_percent;
  out.memory_available_bytes = now_.memory_available_bytes;
  out.disk_free_bytes = now_.disk_free_bytes;
  out.disk_free_inodes = now_.disk_free_inodes;
  out.page_faults_from_disk = now_.page_faults_from_disk;
  out.pace = device::pace_name(governor_.pace());
  out.pace_reason = governor_.reason();
  out.disk_is_low = governor_.disk_is_low();
  return out;
}

}  // namespace codicil
