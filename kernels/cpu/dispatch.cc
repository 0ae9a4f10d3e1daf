// Which tables this machine can run: an instruction set counts only if cpuid names it AND the system has enabled its registers (xgetbv).
#include <cstring>

#include "kernels/cpu/tables.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace codicil::kernels {
namespace {

struct Machine {
  bool avx2 = false;
  bool avx512 = false;
};

#if defined(__x86_64__)
std::uint64_t enabled_registers() {
  std::uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<std::uint64_t>(high) << 32) | low;
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
  if (machine.avx512 && !std::strcmp(name, "avx512")) return &kAvx512Ops;
#endif
  return nullptr;
}

const Ops& best_cpu() {
  if (const Ops* ops = find_cpu("avx512")) return *ops;
  if (const Ops* ops = find_cpu("avx2")) return *ops;
  return reference();
}

}  // namespace codicil::kernels
