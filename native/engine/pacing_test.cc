// Pacing on made-up sensors and a made-up clock.
#include "native/engine/pacing.h"

#include "native/base/test.h"

namespace codicil {

CODICIL_TEST(sensors_are_read_once_a_second_and_a_pause_holds_back_long_reads_only) {
  int readings = 0;
  double celsius = 40;
  Pacing pacing([&] {
    readings += 1;
    device::Telemetry out;
    out.cpu_celsius = celsius;
    out.disk_free_inodes = 77'777;
    return out;
  });
  Pacing::Clock::time_point now{std::chrono::hours(1)};
  const auto after = [&](int ms) {
    now += std::chrono::milliseconds(ms);
    pacing.refresh(now, true);
  };
  for (int i = 0; i < 10; ++i) after(99);
  CHECK_EQ(readings, 1);
  CHECK_EQ(pacing.step_share(), 1.0);
  CHECK_EQ(pacing.rest_share(), 0.0);
  CHECK_EQ(pacing.telemetry().disk_free_inodes.value_or(0), 77'777u);
  CHECK(!pacing.telemetry().cpu_mhz.has_value());

  celsius = 91;
  after(200);
  CHECK_EQ(readings, 2);
  CHECK(pacing.step_share() < 1 && pacing.rest_share() > 0);
  CHECK(!pacing.holds_back(Priority::batch, 100'000));
  CHECK_EQ(pacing.telemetry().pace, std::string("slower"));

  celsius = 100;
  after(1000);
  CHECK(pacing.holds_back(Priority::interactive, 100'000));
  CHECK(pacing.holds_back(Priority::batch, 10));
  CHECK(!pacing.holds_back(Priority::interactive, 30));
  CHECK_EQ(pacing.telemetry().pace_reason, std::string("cpu_celsius 100.0"));

  celsius = 50;
  for (int i = 0; i < device::Governor::kCalmReadings; ++i) after(1000);
  CHECK(!pacing.holds_back(Priority::batch, 100'000));
  CHECK(pacing.telemetry().pace_reason.empty());
}

}  // namespace codicil
