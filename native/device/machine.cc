// The Linux body of machine.h (/proc, /sys/fs/cgroup, /sys/class/hwmon); elsewhere what POSIX gives, the rest absent.
#include "native/device/machine.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace codicil::device {
namespace {

std::optional<std::string> read_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> read_number(const std::string& path) {
  const auto line = read_line(path);
  return line ? to_number(*line) : std::nullopt;
}

// Value in bytes of a "Key:   123 kB" line.
std::optional<std::uint64_t> read_kilobytes(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ':') continue;
    const std::size_t digits = line.find_first_of("0123456789", key.size());
    if (digits == std::string::npos) return std::nullopt;
    if (const auto value = to_number(std::string_view(line).substr(digits))) return static_cast<std::uint64_t>(*value) * 1024;
  }
  return std::nullopt;
}

// Folders of this process's control group, the deepest first: version 2 ("0::/a/b") or the named version 1 controller. A limit may stand at any level.
std::vector<std::string> control_groups(std::string_view controller) {
  std::vector<std::string> folders;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    const bool version2 = names.empty();
    if (!version2 && ("," + names + ",").find("," + std::string(controller) + ",") == std::string::npos) continue;
    const std::string root = version2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + std::string(controller);
    for (std::string path = line.substr(second + 1); !path.empty(); path.erase(path.find_last_of('/'))) {
      if (path != "/") folders.push_back(root + path);
      if (path.find('/') == std::string::npos) break;
    }
    folders.push_back(root);
  }
  return folders;
}

struct MemoryLimit {
  std::optional<std::uint64_t> limit, left;  // bytes
};

MemoryLimit control_group_memory(std::uint64_t machine_total) {
  MemoryLimit result;
  for (const std::string& folder : control_groups("memory")) {
    auto limit = read_number(folder + "/memory.max");
    if (!limit) limit = read_number(folder + "/memory.limit_in_bytes");
    if (!limit || *limit >= static_cast<double>(machine_total)) continue;  // "max", or version 1's huge number: no limit
    auto used = read_number(folder + "/memory.current");
    if (!used) used = read_number(folder + "/memory.usage_in_bytes");
    // Cached file pages are counted as used but are given back when somebody needs them.
    double cached = 0;
    std::ifstream file(folder + "/memory.stat");
    for (std::string key, value; file >> key >> value;)
      if (key == "inactive_file") cached = to_number(value).value_or(0);
    const double left = std::max(0.0, *limit - std::max(0.0, used.value_or(0) - cached));
    result.limit = std::min(result.limit.value_or(~0ull), static_cast<std::uint64_t>(*limit));
    result.left = std::min(result.left.value_or(~0ull), static_cast<std::uint64_t>(left));
  }
  return result;
}

// Whole cores that the quota of the control group allows; nothing without a quota.
std::optional<int> quota_cores() {
  std::optional<int> cores;
  for (const std::string& folder : control_groups("cpu")) {
    std::optional<double> quota, period;
    if (const auto line = read_line(folder + "/cpu.max")) {
      const std::size_t space = line->find(' ');
      quota = to_number(*line);
      if (space != std::string::npos) period = to_number(std::string_view(*line).substr(space + 1));
    } else {
      quota = read_number(folder + "/cpu.cfs_quota_us");
      period = read_number(folder + "/cpu.cfs_period_us");
    }
    if (!quota || !period || *quota <= 0 || *period <= 0) continue;
    const int whole = std::max(1, static_cast<int>(*quota / *period + 0.01));
    cores = std::min(cores.value_or(whole), whole);
  }
  return cores;
}

std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
#if defined(__linux__)
  constexpr int kMaxCpus = 8192;  // the largest count a Linux kernel is configured for
  cpu_set_t* set = CPU_ALLOC(kMaxCpus);
  const std::size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
  if (set != nullptr && sched_getaffinity(0, bytes, set) == 0)
    for (int cpu = 0; cpu < kMaxCpus; ++cpu)
      if (CPU_ISSET_S(cpu, bytes, set)) cpus.push_back(cpu);
  if (set != nullptr) CPU_FREE(set);
#endif
  if (cpus.empty())
    for (int cpu = 0; cpu < static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); ++cpu) cpus.push_back(cpu);
  return cpus;
}

int count_physical(const std::vector<int>& cpus) {
  std::set<std::string> cores;
  for (const int cpu : cpus) {
    const std::string topology = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    const auto siblings = read_line(topology + "thread_siblings_list");
    cores.insert(siblings ? *siblings : std::to_string(cpu));
  }
  return static_cast<int>(cores.size());
}

// Sensors of the processor: Intel's coretemp, AMD's k10temp and zenpower, and what ARM boards call them.
std::optional<double> read_cpu_celsius() {
  std::error_code error;
  std::optional<double> hottest;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/class/hwmon", error)) {
    const auto name = read_line(entry.path() / "name");
    if (!name || (*name != "coretemp" && *name != "k10temp" && *name != "zenpower" && *name != "cpu_thermal" && *name != "cpu-thermal")) continue;
    for (int i = 1; i <= 64; ++i) {
      const auto value = read_number(entry.path() / ("temp" + std::to_string(i) + "_input"));
      if (value && *value > 0 && *value < 150'000) hottest = std::max(hottest.value_or(0), *value / 1000);  // millidegrees
    }
  }
  return hottest;
}

struct CpuText {
  std::string name, features;
  std::optional<double> mhz;
};

CpuText read_cpu_text(const std::vector<int>& cpus) {
  CpuText text;
  // What the kernels and the plan care about; the operating system lists a flag only when it has enabled the registers.
  static constexpr std::string_view kFeatures[] = {"avx2",     "fma",      "f16c",        "avx_vnni",    "avx512f",  "avx512bw",
                                                   "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16", "amx_int8", "amx_bf16",
                                                   "asimd",    "asimddp",  "i8mm",        "sve"};
  const std::set<int> mine(cpus.begin(), cpus.end());
  double sum = 0;
  int count = 0, processor = -1;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    const std::string value = line.substr(std::min(line.size(), colon + 2));
    if (key == "processor")
      processor = static_cast<int>(to_number(value).value_or(-1));
    else if (key == "model name" && text.name.empty())
      text.name = value;
    else if ((key == "flags" || key == "Features") && text.features.empty()) {
      std::istringstream words(value);
      std::set<std::string> have;
      for (std::string word; words >> word;) have.insert(word);
      for (const std::string_view feature : kFeatures)
        if (have.contains(std::string(feature))) text.features += (text.features.empty() ? "" : " ") + std::string(feature);
    } else if (key == "cpu MHz" && mine.contains(processor)) {
      if (const auto mhz = to_number(value)) sum += *mhz, ++count;
    }
  }
  if (count > 0) text.mhz = sum / count;
  for (const int cpu : cpus) {  // where cpufreq exists it is fresher than cpuinfo, and the only source on ARM
    const auto khz = read_number("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq");
    if (!khz) break;
    if (cpu == cpus.front())
      text.mhz = *khz / 1000 / static_cast<double>(cpus.size());
    else
      *text.mhz += *khz / 1000 / static_cast<double>(cpus.size());
  }
#if defined(__APPLE__)
  char name[256];
  std::size_t size = sizeof name;
  if (text.name.empty() && sysctlbyname("machdep.cpu.brand_string", name, &size, nullptr, 0) == 0) text.name = name;
#endif
  return text;
}

std::uint64_t machine_memory() {
  if (const auto total = read_kilobytes("/proc/meminfo", "MemTotal")) return *total;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : 0;
}

}  // namespace

std::uint64_t available_memory_bytes() {
  const std::uint64_t total = machine_memory();
  const std::uint64_t machine =
      read_kilobytes("/proc/meminfo", "MemAvailable").value_or(total / 2);  // without a number: half, as systems that hide it swap late
  return std::min(machine, control_group_memory(total).left.value_or(machine));
}

Machine read_machine() {
  Machine machine;
  const std::vector<int> cpus = allowed_cpus();
  const int quota = quota_cores().value_or(static_cast<int>(cpus.size()));
  machine.logical_cores = std::max(1, std::min(static_cast<int>(cpus.size()), quota));
  machine.physical_cores = std::max(1, std::min(count_physical(cpus), quota));
  const std::uint64_t total = machine_memory();
  machine.memory_total_bytes = std::min(total, control_group_memory(total).limit.value_or(total));
  machine.memory_available_bytes = std::min(machine.memory_total_bytes, available_memory_bytes());
  CpuText text = read_cpu_text(cpus);
  machine.cpu = std::move(text.name);
  machine.features = std::move(text.features);
  machine.cpu_mhz = text.mhz;
  machine.cpu_celsius = read_cpu_celsius();
  return machine;
}

std::uint64_t resident_bytes() {
  const auto line = read_line("/proc/self/statm");  // size resident shared ...
  if (!line) return 0;
  const std::size_t space = line->find(' ');
  if (space == std::string::npos) return 0;
  return static_cast<std::uint64_t>(to_number(std::string_view(*line).substr(space + 1)).value_or(0)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t anonymous_bytes() { return read_kilobytes("/proc/self/status", "RssAnon").value_or(resident_bytes()); }

std::uint64_t peak_resident_bytes() {
  if (const auto peak = read_kilobytes("/proc/self/status", "VmHWM")) return *peak;
  struct rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#if defined(__APPLE__)
  return static_cast<std::uint64_t>(usage.ru_maxrss);
#else
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
#endif
}

}  // namespace codicil::device
