// What this machine is and has left: cores, memory, name, temperature.
//
// Owns: reading /proc, /sys and the control group. Leaves to kernels: which instruction sets are used (`features` here is text for people).
// Rules that must stay true: what cannot be read is absent, never guessed; a container's limits win over the machine's numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace codicil::device {

struct Machine {
  std::string cpu;                           // "AMD EPYC 9B45"; empty where it is not known
  std::string features;                      // of those that matter to the kernels: "avx2 fma f16c avx512f avx512_vnni"
  int logical_cores = 1;                     // that this process may use (affinity and quota), at least 1
  int physical_cores = 1;                    // of these: without counting hyper-threads twice
  std::uint64_t memory_total_bytes = 0;      // smaller of machine and control group
  std::uint64_t memory_available_bytes = 0;  // could be allocated now without swapping
  std::optional<double> cpu_celsius;         // package temperature
  std::optional<double> cpu_mhz;             // mean of the cores that this process may use
};

Machine read_machine();  // about a millisecond
std::uint64_t available_memory_bytes();
std::uint64_t resident_bytes();       // of this process; 0 where it is not known
std::uint64_t anonymous_bytes();      // of these, what is no file: what a plan can answer for
std::uint64_t peak_resident_bytes();  // highest so far

}  // namespace codicil::device
