// Nvml: the functions, each by its documented C signature. Nothing here is linked: a machine without the driver runs the same program.
#include "native/device/nvml.h"

#include <array>
#include <utility>

#ifndef _WIN32
#include <dlfcn.h>
#endif

namespace codicil::device {

namespace {

// nvml.h of the driver: nvmlReturn_t is an int, 0 is success; nvmlDevice_t is a pointer.
using Device = void*;
constexpr int kSuccess = 0;
constexpr unsigned kGpuSensor = 0;          // NVML_TEMPERATURE_GPU
constexpr unsigned kSlowdownThreshold = 1;  // NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
constexpr unsigned kSmClock = 1;            // NVML_CLOCK_SM
constexpr std::size_t kNameBytes = 96;      // NVML_DEVICE_NAME_V2_BUFFER_SIZE

struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned gpu, memory;  // percent
};

// nvmlClocksThrottleReason*: bits of the reasons that are a fault. Left out: idle, a set or synchronised clock, and the software power cap, which is
// how every busy device runs.
constexpr std::uint64_t kHardwareSlowdown = 0x08, kSoftwareThermal = 0x20, kHardwareThermal = 0x40, kPowerBrake = 0x80;
constexpr std::uint64_t kHeat = kSoftwareThermal | kHardwareThermal, kPower = kPowerBrake;

}  // namespace

bool GpuReading::is_throttled() const { return (throttle_reasons.value_or(0) & (kHeat | kPower | kHardwareSlowdown)) != 0; }

std::string GpuReading::throttled_by() const {
  if (!is_throttled()) return "";
  const bool heat = (*throttle_reasons & kHeat) != 0, power = (*throttle_reasons & kPower) != 0;
  if (heat == power) return "heat or power";  // both, or the hardware slowed down without saying why
  return heat ? "heat" : "power";
}

struct Nvml::Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle)(unsigned, Device*) = nullptr;
  // Absent in some driver: the value is absent.
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*temperature)(Device, unsigned, unsigned*) = nullptr;
  int (*threshold)(Device, unsigned, unsigned*) = nullptr;
  int (*clock)(Device, unsigned, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;  // milliwatts
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*throttling)(Device, unsigned long long*) = nullptr;

  explicit Functions(const Find& find) {
    const auto take = [&](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find(symbol));
    };
    take(init, "nvmlInit_v2");
    take(shutdown, "nvmlShutdown");
    take(count, "nvmlDeviceGetCount_v2");
    take(handle, "nvmlDeviceGetHandleByIndex_v2");
    take(name, "nvmlDeviceGetName");
    take(memory, "nvmlDeviceGetMemoryInfo");
    take(temperature, "nvmlDeviceGetTemperature");
    take(threshold, "nvmlDeviceGetTemperatureThreshold");
    take(clock, "nvmlDeviceGetClockInfo");
    take(power, "nvmlDeviceGetPowerUsage");
    take(utilization, "nvmlDeviceGetUtilizationRates");
    take(throttling, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }

  bool is_complete() const { return init != nullptr && shutdown != nullptr && count != nullptr && handle != nullptr; }
};

Nvml::Nvml(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}

Nvml::~Nvml() { functions_->shutdown(); }

std::unique_ptr<Nvml> Nvml::start(Find find) {
  auto functions = std::make_unique<Functions>(find);
  if (!functions->is_complete() || functions->init() != kSuccess) return nullptr;
  return std::unique_ptr<Nvml>(new Nvml(std::move(functions)));
}

std::unique_ptr<Nvml> Nvml::load(const std::string& library) {
#ifdef _WIN32
  (void)library;
  return nullptr;
#else
  const std::shared_ptr<void> opened(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
    if (handle != nullptr) dlclose(handle);
  });
  if (opened == nullptr) return nullptr;
  auto nvml = start([&](const char* name) { return dlsym(opened.get(), name); });
  if (nvml != nullptr) nvml->library_ = opened;
  return nvml;
#endif
}

std::vector<GpuReading> Nvml::read() const {
  const Functions& f = *functions_;
  // Calls a function, if there is one, with a place for its answer; nothing where it fails.
  const auto ask = [](auto function, auto value, auto... arguments) -> std::optional<decltype(value)> {
    if (function == nullptr || function(arguments..., &value) != kSuccess) return std::nullopt;
    return value;
  };
  std::vector<GpuReading> out;
  const unsigned count = ask(f.count, 0u).value_or(0);
  for (unsigned i = 0; i < count; ++i) {
    const std::optional<Device> device = ask(f.handle, Device{}, i);
    if (!device) continue;
    GpuReading gpu;
    std::array<char, kNameBytes> name{};
    const bool named = f.name != nullptr && f.name(*device, name.data(), kNameBytes) == kSuccess;
    name.back() = '\0';
    gpu.name = named && name.front() != '\0' ? name.data() : "GPU " + std::to_string(i);
    if (const auto memory = ask(f.memory, Memory{}, *device)) {
      gpu.memory_used_bytes = memory->used;
      gpu.memory_total_bytes = memory->total;
    }
    if (const auto value = ask(f.temperature, 0u, *device, kGpuSensor)) gpu.celsius = *value;
    if (const auto value = ask(f.threshold, 0u, *device, kSlowdownThreshold); value && *value > 0) gpu.slowdown_celsius = *value;
    if (const auto value = ask(f.clock, 0u, *device, kSmClock)) gpu.mhz = *value;
    if (const auto value = ask(f.power, 0u, *device)) gpu.watts = *value / 1000.0;
    if (const auto value = ask(f.utilization, Utilization{}, *device)) gpu.busy_percent = value->gpu;
    if (const auto value = ask(f.throttling, 0ull, *device)) gpu.throttle_reasons = *value;
    out.push_back(std::move(gpu));
  }
  return out;
}

}  // namespace codicil::device
