#include "native/base/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#include <nmmintrin.h>
#endif

namespace codicil {

namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78u;  // reversed 0x1edc6f41

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    table[i] = value;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kTable = make_table();

std::uint32_t by_table(const std::byte* p, std::size_t n, std::uint32_t crc) {
  for (std::size_t i = 0; i < n; ++i) crc = kTable[(crc ^ static_cast<std::uint32_t>(p[i])) & 0xff] ^ (crc >> 8);
  return crc;
}

#if defined(__x86_64__) && defined(__GNUC__)
[[gnu::target("sse4.2")]] std::uint32_t by_instruction(const std::byte* p, std::size_t n, std::uint32_t crc) {
  std::uint64_t wide = crc;
  for (; n >= 8; p += 8, n -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  return by_table(p, n, static_cast<std::uint32_t>(wide));
}
#endif

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
  const std::uint32_t start = ~before;
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return ~by_instruction(bytes.data(), bytes.size(), start);
#endif
  return ~by_table(bytes.data(), bytes.size(), start);
}

}  // namespace codicil
