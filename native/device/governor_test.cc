// The governor on made-up readings: worse acts at once, better only when it lasts, absent never.
#include "native/device/governor.h"

#include <string>
#include <vector>

#include "native/base/log.h"
#include "native/base/test.h"

namespace codicil::device {
namespace {

Telemetry at_celsius(double celsius) {
  Telemetry out;
  out.cpu_celsius = celsius;
  return out;
}

struct Lines {
  std::vector<std::string> events;
  Lines() {
    set_log_sink(
        [](void* self, const LogRecord& record) {
          std::string line(record.event);
          for (const LogField& field : record.fields) line += " " + std::string(field.key) + "=" + field.value;
          static_cast<Lines*>(self)->events.push_back(line);
        },
        this);
  }
  ~Lines() { set_log_sink(nullptr, nullptr); }
};

}  // namespace

CODICIL_TEST(nothing_readable_means_full_pace) {
  Governor governor;
  for (int i = 0; i < 5; ++i) CHECK(governor.update({}, true) == Pace::full);
  CHECK(governor.reason().empty() && !governor.disk_is_low());
}

CODICIL_TEST(heat_slows_at_once_and_lets_go_only_when_it_is_gone_for_a_while) {
  Governor governor;
  Lines lines;
  CHECK(governor.update(at_celsius(89.9), true) == Pace::full);
  CHECK(governor.update(at_celsius(90), true) == Pace::slower);
  CHECK_EQ(governor.reason(), "cpu_celsius 90.0");
  for (int i = 0; i < 20; ++i) CHECK(governor.update(at_celsius(i % 2 == 0 ? 86 : 90), true) == Pace::slower);  // inside the margin
  CHECK(governor.update(at_celsius(84), true) == Pace::slower);
  CHECK(governor.update(at_celsius(84), true) == Pace::slower);
  CHECK(governor.update(at_celsius(91), true) == Pace::slower);  // begins anew
  for (int i = 1; i < Governor::kCalmReadings; ++i) CHECK(governor.update(at_celsius(84), true) == Pace::slower);
  CHECK(governor.update(at_celsius(84), true) == Pace::full);
  REQUIRE_EQ(lines.events.size(), 2u);
  CHECK_EQ(lines.events[0], "pace_changed from=full to=slower reason=cpu_celsius 90.0");
  CHECK(lines.events[1].starts_with("pace_changed from=slower to=full"));
}

CODICIL_TEST(a_pause_ends_in_slower_while_it_is_still_warm) {
  Governor governor;
  CHECK(governor.update(at_celsius(99), true) == Pace::pause);
  CHECK(governor.update(at_celsius(95), true) == Pace::pause);
  for (int i = 1; i < Governor::kCalmReadings; ++i) CHECK(governor.update(at_celsius(92), true) == Pace::pause);
  CHECK(governor.update(at_celsius(92), true) == Pace::slower);
  CHECK(governor.update(at_celsius(120), true) == Pace::pause);
}

CODICIL_TEST(a_low_clock_counts_only_under_load) {
  Governor governor;
  Telemetry now;
  now.cpu_mhz = 2000;
  now.cpu_base_mhz = 2300;
  CHECK(governor.update(now, false) == Pace::full);
  CHECK(governor.update(now, true) == Pace::slower);
  CHECK_EQ(governor.reason(), "missing_clock_percent 13.0");
  now.cpu_mhz = 1000;
  CHECK(governor.update(now, true) == Pace::pause);
  now.cpu_mhz = 3000;
  for (int i = 0; i < Governor::kCalmReadings; ++i) (void)governor.update(now, true);
  CHECK(governor.pace() == Pace::full);
}

CODICIL_TEST(the_worst_reading_decides) {
  Governor governor;
  Telemetry now = at_celsius(91);
  now.memory_some_percent = 60;
  CHECK(governor.update(now, true) == Pace::pause);
  CHECK_EQ(governor.reason(), "memory_some_percent 60.0");
}

CODICIL_TEST(a_gpu_is_judged_by_the_limit_that_it_has) {
  Governor governor;
  Telemetry now;
  now.gpus.resize(2);
  now.gpus[1].celsius = 97;
  CHECK(governor.update(now, true) == Pace::full);  // hot, but what it can bear it does not tell
  now.gpus[1].slowdown_celsius = 103;
  CHECK(governor.update(now, true) == Pace::full);
  now.gpus[1].celsius = 98;
  CHECK(governor.update(now, true) == Pace::slower);
  CHECK_EQ(governor.reason(), "gpu_celsius_over_limit -5.0");
  now.gpus[0].celsius = 85;
  now.gpus[0].slowdown_celsius = 85;
  CHECK(governor.update(now, true) == Pace::pause);
  now.gpus[0].celsius = now.gpus[1].celsius = 60;
  for (int i = 1; i < Governor::kCalmReadings; ++i) CHECK(governor.update(now, true) == Pace::pause);
  CHECK(governor.update(now, true) == Pace::full);
}

CODICIL_TEST(a_gpu_that_is_throttled_under_load_slows_and_never_pauses) {
  Governor governor;
  Telemetry now;
  now.gpus.resize(1);
  now.gpus[0].throttle_reasons = 0x4;  // the usual power limit
  CHECK(governor.update(now, true) == Pace::full);
  now.gpus[0].throttle_reasons = 0x40 | 0x8;
  CHECK(governor.update(now, false) == Pace::full);
  CHECK(governor.update(now, true) == Pace::slower);
  CHECK_EQ(governor.reason(), "gpu_throttled 1.0");
  now.gpus[0].throttle_reasons = 0x1;
  for (int i = 0; i < Governor::kCalmReadings; ++i) (void)governor.update(now, true);
  CHECK(governor.pace() == Pace::full);
}

CODICIL_TEST(a_full_disk_is_said_once_and_slows_nothing) {
  Governor governor;
  Lines lines;
  Telemetry now;
  now.disk_free_bytes = 1u << 30;
  now.disk_free_inodes = 50'000;
  for (int i = 0; i < 3; ++i) CHECK(governor.update(now, true) == Pace::full);
  CHECK(governor.disk_is_low());
  now.disk_free_bytes = (2ull << 30) + 1;  // inside the margin
  (void)governor.update(now, true);
  CHECK(governor.disk_is_low());
  now.disk_free_bytes = 3ull << 30;
  (void)governor.update(now, true);
  CHECK(!governor.disk_is_low());
  now.disk_free_inodes = 9'999;
  (void)governor.update(now, true);
  REQUIRE_EQ(lines.events.size(), 3u);
  CHECK_EQ(lines.events[0], "disk_ran_low free_bytes=1073741824");
  CHECK_EQ(lines.events[2], "disk_ran_low free_inodes=9999");
}

}  // namespace codicil::device
