// What NVIDIA's graphics processors say of themselves, through the driver's own library, which is looked for while the program runs.
//
// Owns: the dozen functions of NVML that are used (docs.nvidia.com/deploy/nvml-api), by their names and C types. Leaves to governor.h what a reading means.
// Rules that must stay true: no library, or no driver behind it, means no device and is no error; what a device does not tell is absent, never 0;
// clocks, fans and limits are never set.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace codicil::device {

struct GpuReading {
  std::string name;  // "NVIDIA GeForce RTX 4090"; its number where the driver does not say
  std::optional<std::uint64_t> memory_used_bytes, memory_total_bytes;
  std::optional<double> celsius;
  std::optional<double> slowdown_celsius;  // where the device begins to slow itself down
  std::optional<double> mhz;               // of the multiprocessors, now
  std::optional<double> watts;
  std::optional<double> busy_percent;
  std::optional<std::uint64_t> throttle_reasons;  // bits, as NVML has them
  // It is too hot or gets too little power. An idle clock, a set clock and the usual power limit are none of these.
  bool is_throttled() const;
  // "heat", "power", or both; empty: nothing slows it down that should not.
  std::string throttled_by() const;
};

class Nvml {
 public:
  static constexpr const char* kLibrary = "libnvidia-ml.so.1";
  // A function of the library by its name; null: it has none of that name.
  using Find = std::function<void*(const char* name)>;

  static std::unique_ptr<Nvml> load(const std::string& library = kLibrary);  // null: not there, or no driver
  static std::unique_ptr<Nvml> start(Find find);                             // the same behind another table of functions
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // One entry for each device that can be reached, in the driver's order. A millisecond or less each.
  std::vector<GpuReading> read() const;

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<Functions> functions);

  std::unique_ptr<Functions> functions_;
  std::shared_ptr<void> library_;  // closed after functions_ is done with it
};

}  // namespace codicil::device
