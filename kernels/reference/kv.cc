// What a row of keys or values means: its size, its numbers, and the reference's way of writing it.
#include "kernels/reference/kv_rows.h"

namespace codicil::kernels {
namespace {

// Lloyd's algorithm over 320,000 normal numbers in blocks of 32, every block divided by its largest number; rounded to int8, so that a kernel may
// multiply integers.
constexpr float kQ4Levels[16] = {-127, -101, -81, -65, -50, -36, -24, -11, 1, 13, 26, 39, 54, 70, 88, 111};
// The same for 480,000 numbers and 32 levels, every block divided by its largest number and the one of kScaleTries that suits it best (kv_rows.h).
constexpr float kQ5Levels[32] = {-127, -115, -97, -85, -76, -68, -61, -54, -47, -41, -35, -28, -22, -17, -11, -5,
                                 1,    6,    12,  18,  24,  30,  36,  42,  48,  55,  61,  69,  76,  85,  95,  109};
// bitsandbytes' table, which is that of the paper.
constexpr float kNf4Levels[16] = {-1.0f,       -0.69619280f, -0.52507305f, -0.39491749f, -0.28444138f, -0.18477343f, -0.09105004f, 0.0f,
                                  0.07958030f, 0.16093020f,  0.24611230f,  0.33791524f,  0.44070983f,  0.56261700f,  0.72295684f,  1.0f};

float half_at(const std::uint8_t* from) {
  std::uint16_t half;
  std::memcpy(&half, from, sizeof half);
  return half_to_float(half);
}

// Of number `at` of a block whose code bytes lie `apart`.
float level_at(KvType type, const std::uint8_t* codes, int apart, int at) {
  if (type == KvType::q8_0) return static_cast<float>(static_cast<std::int8_t>(codes[at * apart]));
  const int low = at < 16 ? codes[at * apart] & 15 : codes[(at - 16) * apart] >> 4;
  const int fifth = type == KvType::q5 ? codes[(16 + at / 8) * apart] >> at % 8 & 1 : 0;
  return kv_levels(type)[low + 16 * fifth];
}

}  // namespace

std::int64_t kv_row_bytes(KvType type, std::int64_t head_dim) {
  if (type == KvType::f16) return head_dim * 2;
  const std::int64_t bits = type == KvType::q8_0 ? 8 : type == KvType::q5 ? 5 : 4;
  return head_dim / kKvBlock * (2 + kKvBlock * bits / 8);
}

const float* kv_levels(KvType type) { return type == KvType::nf4 ? kNf4Levels : type == KvType::q5 ? kQ5Levels : kQ4Levels; }

float kv_value(KvType type, const void* row, std::int64_t index) {
  const auto* bytes = static_cast<const std::uint8_t*>(row);
  if (type == KvType::f16) return half_at(bytes + 2 * index);
  const std::uint8_t* block = bytes + index / kKvBlock * kv_row_bytes(type, kKvBlock);
  const auto at = static_cast<int>(index % kKvBlock);
  return level_at(type, block + 2, 1, at) * half_at(block);
}

float kv_key(KvType type, const void* group, int slot, std::int64_t index) {
  const auto* bytes = static_cast<const std::uint8_t*>(group);
  if (type == KvType::f16) return half_at(bytes + 2 * (index * kKvGroup + slot));
  const std::uint8_t* block = bytes + index / kKvBlock * kv_row_bytes(type, kKvBlock) * kKvGroup;
  return level_at(type, block + 2 * kKvGroup + slot, kKvGroup, static_cast<int>(index % kKvBlock)) * half_at(block + 2 * slot);
}

void reference_hadamard(float* x, std::int64_t n) { rotate_blocks(x, n); }

void reference_store_kv(KvType type, const float* x, void* row, std::int64_t n) {
  if (type != KvType::f16) return store_quantized(type, x, row, n);
  auto* out = static_cast<std::uint16_t*>(row);
  for (std::int64_t i = 0; i < n; ++i) out[i] = float_to_half(x[i]);
}

void reference_store_key(KvType type, const float* x, void* group, int slot, std::int64_t n) {
  if (type != KvType::f16) return store_quantized_key(type, x, group, slot, n);
  auto* out = static_cast<std::uint16_t*>(group);
  for (std::int64_t i = 0; i < n; ++i) out[i * kKvGroup + slot] = float_to_half(x[i]);
}

}  // namespace codicil::kernels
