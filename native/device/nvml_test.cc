// NVML behind a made-up driver of three devices: what it says is read in our units, and whatever function is missing or fails leaves its value absent.
#include "native/device/nvml.h"

#include <cstring>
#include <string>

#include "native/base/test.h"
#include "native/device/telemetry.h"

namespace codicil::device {
namespace {

constexpr int kOk = 0, kNotSupported = 3, kDriverNotLoaded = 9, kGpuIsLost = 15;  // nvmlReturn_t

// The driver's state; `broken` is the function that fails, or that the library lacks (`missing`).
struct FakeDriver {
  std::string broken, missing;
  int running = 0;
  unsigned devices = 3;
} driver;

struct FakeMemory {
  unsigned long long total, free, used;
};
struct FakeUtilization {
  unsigned gpu, memory;
};

int answer(const char* name) { return driver.broken == name ? kNotSupported : kOk; }
int* device_of(unsigned index) {
  static int devices[3];
  return devices + index;
}
unsigned index_of(void* device) { return static_cast<unsigned>(static_cast<int*>(device) - device_of(0)); }

int fake_init() { return driver.broken == "nvmlInit_v2" ? kDriverNotLoaded : (++driver.running, kOk); }
int fake_shutdown() { return --driver.running, kOk; }
int fake_count(unsigned* out) { return *out = driver.devices, answer("nvmlDeviceGetCount_v2"); }
int fake_handle(unsigned index, void** out) {
  if (index == 1) return kGpuIsLost;  // the second one has fallen off the bus
  return *out = device_of(index), answer("nvmlDeviceGetHandleByIndex_v2");
}
int fake_name(void* device, char* out, unsigned bytes) {
  if (answer("nvmlDeviceGetName") != kOk) return kNotSupported;
  std::strncpy(out, index_of(device) == 0 ? "NVIDIA Fake 4090" : "", bytes);
  return kOk;
}
int fake_memory(void*, FakeMemory* out) { return *out = {24ull << 30, 20ull << 30, 4ull << 30}, answer("nvmlDeviceGetMemoryInfo"); }
int fake_temperature(void* device, unsigned sensor, unsigned* out) {
  if (sensor != 0) return kNotSupported;
  return *out = 60 + index_of(device), answer("nvmlDeviceGetTemperature");
}
int fake_threshold(void*, unsigned which, unsigned* out) {
  if (which != 1) return kNotSupported;
  return *out = 93, answer("nvmlDeviceGetTemperatureThreshold");
}
int fake_clock(void*, unsigned which, unsigned* out) {
  if (which != 1) return kNotSupported;
  return *out = 2520, answer("nvmlDeviceGetClockInfo");
}
int fake_power(void*, unsigned* out) { return *out = 180'500, answer("nvmlDeviceGetPowerUsage"); }
int fake_utilization(void*, FakeUtilization* out) { return *out = {87, 12}, answer("nvmlDeviceGetUtilizationRates"); }
int fake_throttling(void*, unsigned long long* out) { return *out = 0x40, answer("nvmlDeviceGetCurrentClocksThrottleReasons"); }

void* find(const char* name) {
  static const std::pair<const char*, void*> functions[] = {
      {"nvmlInit_v2", reinterpret_cast<void*>(fake_init)},
      {"nvmlShutdown", reinterpret_cast<void*>(fake_shutdown)},
      {"nvmlDeviceGetCount_v2", reinterpret_cast<void*>(fake_count)},
      {"nvmlDeviceGetHandleByIndex_v2", reinterpret_cast<void*>(fake_handle)},
      {"nvmlDeviceGetName", reinterpret_cast<void*>(fake_name)},
      {"nvmlDeviceGetMemoryInfo", reinterpret_cast<void*>(fake_memory)},
      {"nvmlDeviceGetTemperature", reinterpret_cast<void*>(fake_temperature)},
      {"nvmlDeviceGetTemperatureThreshold", reinterpret_cast<void*>(fake_threshold)},
      {"nvmlDeviceGetClockInfo", reinterpret_cast<void*>(fake_clock)},
      {"nvmlDeviceGetPowerUsage", reinterpret_cast<void*>(fake_power)},
      {"nvmlDeviceGetUtilizationRates", reinterpret_cast<void*>(fake_utilization)},
      {"nvmlDeviceGetCurrentClocksThrottleReasons", reinterpret_cast<void*>(fake_throttling)},
  };
  for (const auto& [known, function] : functions)
    if (driver.missing != name && std::string_view(known) == name) return function;
  return nullptr;
}

// Which values of a reading are there, by a letter each.
std::string present(const GpuReading& gpu) {
  std::string out;
  const auto add = [&](char letter, bool there) { out += there ? letter : '-'; };
  add('u', gpu.memory_used_bytes.has_value());
  add('t', gpu.memory_total_bytes.has_value());
  add('c', gpu.celsius.has_value());
  add('s', gpu.slowdown_celsius.has_value());
  add('m', gpu.mhz.has_value());
  add('w', gpu.watts.has_value());
  add('b', gpu.busy_percent.has_value());
  add('r', gpu.throttle_reasons.has_value());
  return out;
}

}  // namespace

CODICIL_TEST(reads_what_each_device_says_in_our_units) {
  driver = {};
  {
    const auto nvml = Nvml::start(find);
    REQUIRE(nvml != nullptr);
    const Telemetry now = read_telemetry("", {}, nvml.get());
    REQUIRE_EQ(now.gpus.size(), 2u);  // the lost one is not there
    const GpuReading& gpu = now.gpus[0];
    CHECK_EQ(gpu.name, "NVIDIA Fake 4090");
    CHECK_EQ(gpu.memory_used_bytes.value_or(0), 4ull << 30);
    CHECK_EQ(gpu.memory_total_bytes.value_or(0), 24ull << 30);
    CHECK_EQ(gpu.celsius.value_or(0), 60.0);
    CHECK_EQ(gpu.slowdown_celsius.value_or(0), 93.0);
    CHECK_EQ(gpu.mhz.value_or(0), 2520.0);
    CHECK_EQ(gpu.watts.value_or(0), 180.5);
    CHECK_EQ(gpu.busy_percent.value_or(0), 87.0);
    CHECK(gpu.is_throttled());
    CHECK_EQ(gpu.throttled_by(), "heat");
    CHECK_EQ(now.gpus[1].name, "GPU 2");
    CHECK_EQ(now.gpus[1].celsius.value_or(0), 62.0);
    CHECK_EQ(driver.running, 1);
  }
  CHECK_EQ(driver.running, 0);
}

CODICIL_TEST(a_function_that_fails_or_is_missing_leaves_its_value_absent) {
  const std::pair<const char*, const char*> expected[] = {
      {"nvmlDeviceGetMemoryInfo", "--csmwbr"},
      {"nvmlDeviceGetTemperature", "ut-smwbr"},
      {"nvmlDeviceGetTemperatureThreshold", "utc-mwbr"},
      {"nvmlDeviceGetClockInfo", "utcs-wbr"},
      {"nvmlDeviceGetPowerUsage", "utcsm-br"},
      {"nvmlDeviceGetUtilizationRates", "utcsmw-r"},
      {"nvmlDeviceGetCurrentClocksThrottleReasons", "utcsmwb-"},
      {"nvmlDeviceGetName", "utcsmwbr"},
  };
  for (const auto& [function, values] : expected)
    for (const bool missing : {false, true}) {
      driver = {};
      (missing ? driver.missing : driver.broken) = function;
      const auto nvml = Nvml::start(find);
      REQUIRE(nvml != nullptr);
      const auto gpus = nvml->read();
      REQUIRE_EQ(gpus.size(), 2u);
      CHECK_EQ(present(gpus[0]), values);
      CHECK_EQ(gpus[0].name, std::string_view(function) == "nvmlDeviceGetName" ? "GPU 0" : "NVIDIA Fake 4090");
    }
}

CODICIL_TEST(without_a_driver_there_is_no_device_and_no_error) {
  CHECK(Nvml::load("libcodicil-that-is-not-there.so.1") == nullptr);
  for (const char* function : {"nvmlInit_v2", "nvmlShutdown", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2"}) {
    driver = {};
    driver.missing = function;
    CHECK(Nvml::start(find) == nullptr);
    CHECK_EQ(driver.running, 0);
  }
  driver = {};
  driver.broken = "nvmlInit_v2";
  CHECK(Nvml::start(find) == nullptr);
  for (const char* function : {"nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2"}) {
    driver = {};
    driver.broken = function;
    const auto nvml = Nvml::start(find);
    REQUIRE(nvml != nullptr);
    CHECK(nvml->read().empty());
  }
  CHECK(read_telemetry("").gpus.empty());
}

#ifdef __linux__
CODICIL_TEST(a_library_of_another_kind_is_let_go) { CHECK(Nvml::load("libm.so.6") == nullptr); }
#endif

CODICIL_TEST(only_heat_and_lack_of_power_count_as_throttling) {
  GpuReading gpu;
  CHECK(!gpu.is_throttled() && gpu.throttled_by().empty());
  for (const std::uint64_t reasons : {0x0, 0x1, 0x2, 0x4, 0x10, 0x100}) {
    gpu.throttle_reasons = reasons;
    CHECK(!gpu.is_throttled());
  }
  gpu.throttle_reasons = 0x8 | 0x40;
  CHECK_EQ(gpu.throttled_by(), "heat");
  gpu.throttle_reasons = 0x8 | 0x80;
  CHECK_EQ(gpu.throttled_by(), "power");
  gpu.throttle_reasons = 0x8;
  CHECK_EQ(gpu.throttled_by(), "heat or power");
}

// On a machine with a driver: plausible, or absent.
CODICIL_TEST(the_devices_of_this_machine_answer_plausibly) {
  const auto nvml = Nvml::load();
  if (nvml == nullptr) SKIP("this machine has no NVIDIA driver");
  for (const GpuReading& gpu : nvml->read()) {
    CHECK(!gpu.name.empty());
    if (gpu.memory_total_bytes) CHECK(gpu.memory_used_bytes.value_or(0) <= *gpu.memory_total_bytes && *gpu.memory_total_bytes > (256u << 20));
    if (gpu.celsius) CHECK(*gpu.celsius > 0 && *gpu.celsius < 150);
    if (gpu.slowdown_celsius) CHECK(*gpu.slowdown_celsius > 50 && *gpu.slowdown_celsius < 150);
    if (gpu.busy_percent) CHECK(*gpu.busy_percent <= 100);
    if (gpu.watts) CHECK(*gpu.watts > 0 && *gpu.watts < 2000);
  }
}

}  // namespace codicil::device
