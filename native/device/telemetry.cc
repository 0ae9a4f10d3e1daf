// The Linux body of telemetry.h; on other systems only what POSIX gives.
#include "native/device/telemetry.h"

#include <sys/resource.h>
#include <sys/statvfs.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "native/device/machine.h"

namespace codicil::device {
namespace {

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> read_number(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) return std::nullopt;
  return to_number(line);
}

// kernel.org, Documentation/accounting/psi.rst: "some avg10=0.00 avg60=0.00 avg300=0.00 total=0", then the same for "full".
void read_pressure(const std::string& path, Telemetry& out) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find("avg10=");
    if (at == std::string::npos) continue;
    const std::optional<double> value = to_number(std::string_view(line).substr(at + 6));
    if (!value || *value < 0 || *value > 100) continue;
    if (line.starts_with("some ")) out.memory_some_percent = value;
    if (line.starts_with("full ")) out.memory_full_percent = value;
  }
}

std::optional<double> read_base_mhz(const TelemetryRoots& roots, const std::string& cpu_name) {
  const std::string cpu = roots.sys + "/devices/system/cpu/cpu0/";
  const auto plausible = [](std::optional<double> mhz) { return mhz && *mhz >= 100 && *mhz < 10'000; };
  std::optional<double> mhz = read_number(cpu + "cpufreq/base_frequency");  // intel_pstate, kHz
  if (mhz) *mhz /= 1000;
  if (!plausible(mhz)) mhz = read_number(cpu + "acpi_cppc/nominal_freq");  // AMD and ARM, MHz
  if (!plausible(mhz)) mhz = base_mhz_of_name(cpu_name);
  return plausible(mhz) ? mhz : std::nullopt;
}

void read_disk(const std::string& folder, Telemetry& out) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(folder, error);
  while (!error && path.has_relative_path() && !std::filesystem::exists(path, error)) path = path.parent_path();
  struct statvfs info{};
  if (error || statvfs(path.c_str(), &info) != 0) return;
  const std::uint64_t unit = info.f_frsize > 0 ? info.f_frsize : info.f_bsize;
  out.disk_free_bytes = static_cast<std::uint64_t>(info.f_bavail) * unit;
  // File systems that make inodes as they go (btrfs) say 0 of 0.
  if (info.f_files > 0) out.disk_free_inodes = static_cast<std::uint64_t>(info.f_favail);
}

}  // namespace

std::optional<double> base_mhz_of_name(std::string_view cpu_name) {
  const std::size_t at = cpu_name.rfind("@ ");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = cpu_name.substr(at + 2);
  const std::optional<double> value = to_number(rest);
  if (!value || *value <= 0) return std::nullopt;
  if (rest.ends_with("GHz")) return *value * 1000;
  return rest.ends_with("MHz") ? value : std::nullopt;
}

// kernel.org, Documentation/power/runtime_pm.rst: "auto" lets the device be suspended, "on" does not.
bool gpu_may_sleep(const TelemetryRoots& roots) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(roots.sys + "/bus/pci/drivers/nvidia", error), end; !error && it != end; it.increment(error)) {
    std::ifstream file(it->path() / "power" / "control");
    std::string line;
    if (std::getline(file, line) && line == "auto") return true;
  }
  return false;
}

Telemetry read_telemetry(const std::string& folder, const TelemetryRoots& roots, const Nvml* nvml) {
  Telemetry out;
  const Machine machine = read_machine();
  out.cpu_mhz = machine.cpu_mhz;
  out.cpu_celsius = machine.cpu_celsius;
  out.cpu_base_mhz = read_base_mhz(roots, machine.cpu);
  if (machine.memory_available_bytes > 0) out.memory_available_bytes = machine.memory_available_bytes;
  read_pressure(roots.proc + "/pressure/memory", out);
  if (!folder.empty()) read_disk(folder, out);
  struct rusage usage{};
  if (nvml != nullptr) out.gpus = nvml->read();
  if (getrusage(RUSAGE_SELF, &usage) == 0) out.page_faults_from_disk = static_cast<std::uint64_t>(usage.ru_majflt);
  return out;
}

}  // namespace codicil::device
