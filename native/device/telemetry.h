// Readings that change while the engine works: clock, temperature, memory pressure, room on a disk, graphics processors.
//
// Owns: reading /proc, /sys and statvfs once. Leaves to governor.h what a reading means, to machine.h what does not change, to nvml.h the GPUs.
// Rule that must stay true: what this system does not tell is absent, never guessed and never an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "native/device/nvml.h"

namespace codicil::device {

struct Telemetry {
  std::optional<double> cpu_mhz;       // now, mean of the cores that this process may use
  std::optional<double> cpu_base_mhz;  // what the processor promises under any load
  std::optional<double> cpu_celsius;   // hottest package sensor
  // Share of the last 10 seconds in which some, or all, work of this machine waited for memory (PSI, Linux 4.20), percent.
  std::optional<double> memory_some_percent, memory_full_percent;
  std::optional<std::uint64_t> memory_available_bytes;
  std::optional<std::uint64_t> disk_free_bytes, disk_free_inodes;  // for this user, of the file system of the given folder
  std::optional<std::uint64_t> page_faults_from_disk;              // of this process since it began: memory that had to be read back
  std::vector<GpuReading> gpus;                                    // of those that were asked
};

// Folders to read from; a test gives its own.
struct TelemetryRoots {
  std::string proc = "/proc", sys = "/sys";
};

// About a millisecond. `folder`: where pages and models are kept; one that is not there yet answers for the nearest folder above it.
// `nvml`: GPUs that are asked too; null: none.
Telemetry read_telemetry(const std::string& folder, const TelemetryRoots& roots = {}, const Nvml* nvml = nullptr);

// A GPU is switched off while nobody uses it (laptops): to ask it would wake it, and to go on asking would keep it awake.
bool gpu_may_sleep(const TelemetryRoots& roots = {});

// "Intel(R) Xeon(R) CPU @ 2.30GHz": 2300.
std::optional<double> base_mhz_of_name(std::string_view cpu_name);

}  // namespace codicil::device
