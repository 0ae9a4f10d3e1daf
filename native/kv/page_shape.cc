// The geometry of a page and the names of pages: what both depend on is data of the model and its tokens, nothing else.
#include <array>
#include <cassert>

#include "native/kv/page_store.h"

namespace codicil::kv {

namespace {

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

// Multiply-and-fold mixing as in wyhash: a full 64 x 64 product, halves xored.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  const std::uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  const std::uint64_t low = a0 * b0, mid1 = a1 * b0 + (low >> 32), mid2 = a0 * b1 + (mid1 & 0xffffffffu);
  const std::uint64_t high = a1 * b1 + (mid1 >> 32) + (mid2 >> 32);
  return ((mid2 << 32) | (low & 0xffffffffu)) ^ high;
#endif
}

// Odd constants with bits spread evenly (fractional parts of square roots); two lanes with different ones give 128 bits.
constexpr std::uint64_t kLane[4] = {0x6a09e667f3bcc909u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u};

}  // namespace

const char* format_name(Format format) {
  constexpr std::array kNames = {"f16", "q8_0", "k8v4", "q4", "nf4", "k8v5"};
  return kNames[static_cast<std::size_t>(format)];
}

namespace {

std::size_t row_bytes(int bits, int head_dim) {
  if (bits == 16) return static_cast<std::size_t>(head_dim) * 2;
  assert(head_dim % kFormatBlock == 0);
  return static_cast<std::size_t>(head_dim / kFormatBlock) * static_cast<std::size_t>(2 + kFormatBlock * bits / 8);
}

}  // namespace

std::size_t PageShape::key_bytes() const {
  return row_bytes(format == Format::f16 ? 16 : format == Format::q4 || format == Format::nf4 ? 4 : 8, head_dim);
}
std::size_t PageShape::value_bytes() const {
  return row_bytes(format == Format::f16 ? 16 : format == Format::q8_0 ? 8 : format == Format::k8v5 ? 5 : 4, head_dim);
}
std::size_t PageShape::layer_bytes() const {
  return round_up(static_cast<std::size_t>(kv_heads) * kPageTokens * (key_bytes() + value_bytes()), kLayerAlign);
}
std::size_t PageShape::page_bytes() const { return layer_bytes() * static_cast<std::size_t>(layers); }

PageName first_name(std::uint64_t model_fingerprint) {
  return {fold(model_fingerprint ^ kLane[0], kLane[1]), fold(model_fingerprint ^ kLane[2], kLane[3])};
}

PageName next_name(const PageName& previous, std::span<const Token> tokens) {
  assert(tokens.size() == static_cast<std::size_t>(kPageTokens));
  std::uint64_t low = previous.low, high = previous.high;
  for (std::size_t i = 0; i < tokens.size(); i += 2) {
    const std::uint64_t pair = static_cast<std::uint32_t>(tokens[i]) | (static_cast<std::uint64_t>(static_cast<std::uint32_t>(tokens[i + 1])) << 32);
    low = fold(low ^ pair ^ kLane[0], high ^ kLane[1]) + pair;
    high = fold(high ^ pair ^ kLane[2], low ^ kLane[3]);
  }
  return {fold(low ^ kLane[1], high ^ kLane[2]), fold(high ^ kLane[3], low ^ kLane[0])};
}

PageName snapshot_name(const PageName& previous, std::span<const Token> rest) {
  assert(rest.size() < static_cast<std::size_t>(kPageTokens));
  // The number of tokens goes in first, with the lanes the other way round.
  std::uint64_t low = fold(previous.high ^ kLane[2], rest.size() ^ kLane[3]), high = fold(previous.low ^ kLane[0], rest.size() ^ kLane[1]);
  for (const Token token : rest) {
    const auto one = static_cast<std::uint64_t>(static_cast<std::uint32_t>(token));
    low = fold(low ^ one ^ kLane[0], high ^ kLane[1]) + one;
    high = fold(high ^ one ^ kLane[2], low ^ kLane[3]);
  }
  return {fold(low ^ kLane[3], high ^ kLane[0]), fold(high ^ kLane[1], low ^ kLane[2])};
}

}  // namespace codicil::kv
