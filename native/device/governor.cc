// Governor: each kind of reading by its own limits, the worst decides; the disk is watched beside them and slows nothing.
#include "native/device/governor.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "native/base/log.h"

namespace codicil::device {
namespace {

constexpr double kDiskMargin = 1.25;  // free again only with a quarter more: deleting one page must not make two log lines

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// The device that is nearest to the temperature at which it slows itself down; one that does not tell its limit is not judged.
std::optional<double> celsius_over_limit(const std::vector<GpuReading>& gpus) {
  std::optional<double> most;
  for (const GpuReading& gpu : gpus)
    if (gpu.celsius && gpu.slowdown_celsius) most = std::max(most.value_or(-1000), *gpu.celsius - *gpu.slowdown_celsius);
  return most;
}

}  // namespace

const char* pace_name(Pace pace) { return pace == Pace::full ? "full" : pace == Pace::slower ? "slower" : "pause"; }

Pace Governor::judge(const Limit& limit, Pace before, double value) {
  const auto passed = [&](double at, bool held) { return value >= (held ? at - limit.margin : at); };
  if (passed(limit.pause, before == Pace::pause)) return Pace::pause;
  return passed(limit.slower, before != Pace::full) ? Pace::slower : Pace::full;
}

Pace Governor::update(const Telemetry& now, bool busy) {
  struct Signal {
    const char* name;
    Limit limit;
    std::optional<double> value;
  };
  std::optional<double> missing;
  if (busy && now.cpu_mhz && now.cpu_base_mhz && *now.cpu_base_mhz > 0) missing = 100 * (1 - *now.cpu_mhz / *now.cpu_base_mhz);
  std::optional<double> throttled;
  if (busy && !now.gpus.empty()) throttled = std::any_of(now.gpus.begin(), now.gpus.end(), [](const GpuReading& gpu) { return gpu.is_throttled(); });
  const std::array<Signal, 5> readings{{{"cpu_celsius", limits_.cpu_celsius, now.cpu_celsius},
                                        {"missing_clock_percent", limits_.missing_clock_percent, missing},
                                        {"memory_some_percent", limits_.memory_some_percent, now.memory_some_percent},
                                        {"gpu_celsius_over_limit", limits_.gpu_celsius_over_limit, celsius_over_limit(now.gpus)},
                                        {"gpu_throttled", limits_.gpu_throttled, throttled}}};
  Pace wanted = Pace::full;
  std::string why;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const Signal& signal = readings[i];
    signals_[i] = signal.value ? judge(signal.limit, signals_[i], *signal.value) : Pace::full;
    if (signals_[i] <= wanted) continue;
    wanted = signals_[i];
    why = std::string(signal.name) + " " + shown(*signal.value);
  }
  watch_disk(now);
  calm_ = wanted < pace_ ? calm_ + 1 : 0;
  if (wanted == pace_ || (wanted < pace_ && calm_ < kCalmReadings)) return pace_;
  log(wanted > pace_ ? LogLevel::warning : LogLevel::info, "pace_changed",
      {{"from", pace_name(pace_)}, {"to", pace_name(wanted)}, {"reason", why.empty() ? "readings are back below their limits" : why}});
  pace_ = wanted;
  reason_ = why;
  calm_ = 0;
  return pace_;
}

void Governor::watch_disk(const Telemetry& now) {
  const auto watch = [](const char* unit, const std::optional<std::uint64_t>& free, double least, bool& low) {
    if (!free) return;
    const auto value = static_cast<double>(*free);
    const bool is_low = value < (low ? least * kDiskMargin : least);
    if (is_low == low) return;
    low = is_low;
    log(low ? LogLevel::warning : LogLevel::info, low ? "disk_ran_low" : "disk_has_room", {{unit, std::to_string(*free)}});
  };
  watch("free_bytes", now.disk_free_bytes, limits_.disk_free_bytes, bytes_low_);
  watch("free_inodes", now.disk_free_inodes, limits_.disk_free_inodes, inodes_low_);
}

}  // namespace codicil::device
