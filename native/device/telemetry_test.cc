// Telemetry: this machine's readings are plausible or absent; made-up files are read as they say, broken ones give nothing.
#include "native/device/telemetry.h"

#include <filesystem>
#include <fstream>
#include <random>

#include "native/base/test.h"

namespace codicil::device {
namespace {

namespace fs = std::filesystem;

struct FakeSystem {
  fs::path path = fs::temp_directory_path() / ("codicil_telemetry_" + std::to_string(std::random_device()()));
  FakeSystem() { fs::create_directories(path); }
  ~FakeSystem() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
  Telemetry read() const { return read_telemetry("", {(path / "proc").string(), (path / "sys").string()}); }
};

}  // namespace

CODICIL_TEST(this_machine_answers_plausibly_or_not_at_all) {
  const Telemetry now = read_telemetry(fs::temp_directory_path().string());
  if (now.cpu_mhz) CHECK(*now.cpu_mhz > 100 && *now.cpu_mhz < 10'000);
  if (now.cpu_base_mhz) CHECK(*now.cpu_base_mhz >= 100 && *now.cpu_base_mhz < 10'000);
  if (now.cpu_celsius) CHECK(*now.cpu_celsius > 0 && *now.cpu_celsius < 150);
  if (now.memory_some_percent) CHECK(*now.memory_some_percent >= 0 && *now.memory_some_percent <= 100);
  REQUIRE(now.disk_free_bytes.has_value());
  CHECK(*now.disk_free_bytes > 0);
}

CODICIL_TEST(a_folder_that_is_not_there_yet_answers_for_the_one_above) {
  const std::string above = fs::temp_directory_path().string();
  CHECK(read_telemetry(above + "/not/there/yet").disk_free_bytes.has_value());
  CHECK(!read_telemetry("").disk_free_bytes.has_value());
}

CODICIL_TEST(reads_pressure_and_base_clock_where_the_system_has_them) {
  const FakeSystem system;
  CHECK(!system.read().memory_some_percent.has_value());
  system.write("proc/pressure/memory", "some avg10=12.50 avg60=1.00 avg300=0.00 total=5\nfull avg10=3.25 avg60=0.50 avg300=0.00 total=2\n");
  system.write("sys/devices/system/cpu/cpu0/acpi_cppc/nominal_freq", "3700\n");
  CHECK_EQ(system.read().memory_some_percent.value_or(-1), 12.5);
  CHECK_EQ(system.read().memory_full_percent.value_or(-1), 3.25);
  CHECK_EQ(system.read().cpu_base_mhz.value_or(-1), 3700.0);
  system.write("sys/devices/system/cpu/cpu0/cpufreq/base_frequency", "2400000\n");
  CHECK_EQ(system.read().cpu_base_mhz.value_or(-1), 2400.0);
  // Some virtual machines say 0, some files can be opened but not read as a number.
  system.write("sys/devices/system/cpu/cpu0/cpufreq/base_frequency", "0\n");
  CHECK_EQ(system.read().cpu_base_mhz.value_or(-1), 3700.0);
  for (const char* broken : {"", "some\n", "some avg10=\n", "some avg10=x\n", "some avg10=nan\n", "some avg10=-1\n", "some avg10=1e9\n"}) {
    system.write("proc/pressure/memory", broken);
    CHECK(!system.read().memory_some_percent.has_value());
  }
}

CODICIL_TEST(a_gpu_that_the_system_may_switch_off_is_known) {
  const FakeSystem system;
  const TelemetryRoots roots{(system.path / "proc").string(), (system.path / "sys").string()};
  CHECK(!gpu_may_sleep(roots));
  system.write("sys/bus/pci/drivers/nvidia/0000:01:00.0/power/control", "on\n");
  system.write("sys/bus/pci/drivers/nvidia/bind", "");
  CHECK(!gpu_may_sleep(roots));
  system.write("sys/bus/pci/drivers/nvidia/0000:02:00.0/power/control", "auto\n");
  CHECK(gpu_may_sleep(roots));
}

CODICIL_TEST(a_base_clock_stands_in_some_names) {
  CHECK_EQ(base_mhz_of_name("Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz").value_or(-1), 3200.0);
  CHECK_EQ(base_mhz_of_name("Something @ 800MHz").value_or(-1), 800.0);
  for (const char* name : {"", "AMD EPYC 9B45", "CPU @ ", "CPU @ fast", "CPU @ 3.2", "CPU @ -1GHz"}) CHECK(!base_mhz_of_name(name).has_value());
}

}  // namespace codicil::device
