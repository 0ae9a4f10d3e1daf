// Which tables this machine can run: an instruction set counts only if cpuid names it AND the system has enabled its registers (xgetbv).
#include <cstring>

#include "kernels/cpu/tables.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace codicil::kernels {
namespace {

struct Machine {
  bool avx2 = false;
  bool avx512 = false;
  bool amx = false;
};

#if defined(__x86_64__)
std::uint64_t enabled_registers() {
  std::uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

// Tile registers are 8 KiB of state per thread, which Linux enables only for a process that asks (arch_prctl, since 5.16). Elsewhere no.
bool may_use_tiles() {
#if defined(__linux__)
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

Machine inspect() {
  Machine machine;
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return machine;
  const bool osxsave = c & bit_OSXSAVE, fma = c & bit_FMA, f16c = c & bit_F16C, avx = c & bit_AVX;
  if (!osxsave || !avx) return machine;
  const std::uint64_t enabled = enabled_registers();
  constexpr std::uint64_t kYmm = 0x6;   // xmm and ymm state
  constexpr std::uint64_t kZmm = 0xe6;  // and opmask, upper zmm, zmm16..31
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return machine;
  machine.avx2 = (enabled & kYmm) == kYmm && (b & bit_AVX2) && fma && f16c;
  constexpr unsigned kFoundation = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  machine.avx512 = machine.avx2 && (enabled & kZmm) == kZmm && (b & kFoundation) == kFoundation && (c & bit_AVX512VNNI);
  constexpr std::uint64_t kTiles = 0x60000;                   // tile configuration and tile data state
  constexpr unsigned kTileAndInt8 = (1u << 24) | (1u << 25);  // amx-tile, amx-int8
  machine.amx = machine.avx512 && (enabled & kTiles) == kTiles && (d & kTileAndInt8) == kTileAndInt8 && may_use_tiles();
  return machine;
}
#else
Machine inspect() { return {}; }
#endif

}  // namespace

const Ops* find_cpu(const char* name) {
  static const Machine machine = inspect();
#if defined(__x86_64__)
  if (machine.avx2 && !std::strcmp(name, "avx2")) return &kAvx2Ops;
  if (machine.amx && !std::strcmp(name, "amx")) return &kAmxOps;
  if (machine.avx512 && !std::strcmp(name, "avx512")) return &kAvx512Ops;
#endif
  return nullptr;
}

const Ops& best_cpu() {
  if (const Ops* ops = find_cpu("amx")) return *ops;
  if (const Ops* ops = find_cpu("avx512")) return *ops;
  if (const Ops* ops = find_cpu("avx2")) return *ops;
  return reference();
}

}  // namespace codicil::kernels
