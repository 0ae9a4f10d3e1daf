// The meaning of every block format: how GGUF bytes become codes, scales and minima, and how activations become int8 blocks.
//
// Owns: f16/bf16 conversion, the decoding of 32 weights of any quantized type, the activation block that all tables share.
// Leaves to matmul.cc (reference) and cpu/ the arithmetic over these blocks.
// Rules that must stay true: every scale product (d * sc) is exact in f32, so all tables see the same numbers; the sum of one
// block is an exact integer; blocks are added in column order with one fused multiply-add each. With these three, every table
// gives the same bits for quantized weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/kernels.h"

namespace codicil::kernels {

constexpr std::int64_t kBlock = 32;  // columns that share one activation scale

// 32 weights: w[i] = scale[i / 16] * value(codes[i]) + minimum[i / 16]; value(c) = c - offset, or the table's entry.
struct WeightBlock {
  std::uint8_t codes[32];
  float scale[2];    // equal unless the type has 16-wide scales (q2_K, q3_K, q6_K)
  float minimum[2];  // 0 unless the type has minima; equal unless it has 16-wide ones (q2_K)
  // The same as stored, for packers: scale[h] = factor * raw_scale[h], minimum[0] = minimum_factor * raw_minimum (K types: negated).
  std::uint16_t factor_half;
  std::uint16_t minimum_factor_half;
  std::int8_t raw_scale[2];
  std::int8_t raw_minimum;
};

// What the integer arithmetic of a type needs to know.
struct QuantTraits {
  int code_bits;                       // 4, 5, 6 or 8
  int offset;                          // subtracted from every code; with a table: what makes its largest negative number a code above 0
  bool halves;                         // two scales per 32 columns
  bool minima;                         // has a minimum per block
  bool superblocks;                    // 256 columns share f16 factors of integer scales (the K types)
  const std::int8_t* table = nullptr;  // [16] numbers that the codes stand for; null: codes are numbers
  int value(std::uint8_t code) const { return table ? table[code] : code - offset; }
};

// 32 activations: x[i] ~ scale * q[i], |q| <= 127.
struct ActivationBlock {
  std::int8_t q[32];
  float scale;
  std::int32_t bias[2];  // -offset * sum(q): of all 32 and 0, or of each half when the type has halves
  float scaled_sum;      // scale * sum(q), what a minimum is multiplied by
};
static_assert(sizeof(ActivationBlock) == 48);

// Numbers of 4-bit codes: of the iq4 types (a non-linear grid, as the format has it), and of mxfp4 (e2m1, twice its values).
extern const std::int8_t kIq4Values[16], kMxfp4Values[16];

bool is_quantized(Type type);
bool is_float(Type type);             // f32, f16, bf16
QuantTraits quant_traits(Type type);  // only for is_quantized types
// Decodes block `index` (of 32 columns) of one GGUF row.
void decode_block(Type type, const std::uint8_t* row, std::int64_t index, WeightBlock& out);
// One row of GGUF bytes: cols / block_elements * block_bytes.
std::int64_t row_bytes(Type type, std::int64_t cols);

float half_to_float(std::uint16_t half);
std::uint16_t float_to_half(float value);  // round to nearest, ties to even; overflow becomes infinity
inline float bfloat_to_float(std::uint16_t value) {
  const std::uint32_t bits = static_cast<std::uint32_t>(value) << 16;
  float out;
  std::memcpy(&out, &bits, sizeof(out));
  return out;
}

// The reference's own ops that other tables reuse where speed does not matter.
void reference_dequantize_row(Type type, const void* gguf_row, float* out, std::int64_t n);
std::size_t reference_activation_bytes(Type weight_type, std::int64_t tokens, std::int64_t cols);
void reference_prepare(Type weight_type, const float* x, std::int64_t x_stride, const Activations& out, std::int64_t begin, std::int64_t end);
std::size_t reference_packed_bytes(Type type, std::int64_t rows, std::int64_t cols);
void reference_pack(Type type, const void* gguf, std::int64_t rows, std::int64_t cols, void* packed, std::int64_t begin, std::int64_t end);
void reference_matmul(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end);
void reference_delta_rule(const DeltaArgs& args);
// Levels of the 4-bit codes of a row of keys or values, [16].
const float* kv_levels(KvType type);  // ascending; 32 of q5, else 16
// Number `index` of a row.
float kv_value(KvType type, const void* row, std::int64_t index);
// Number `index` of key `slot` of a group of 16.
float kv_key(KvType type, const void* group, int slot, std::int64_t index);
void reference_hadamard(float* x, std::int64_t n);
void reference_store_kv(KvType type, const float* x, void* row, std::int64_t n);
void reference_store_key(KvType type, const float* x, void* group, int slot, std::int64_t n);
void reference_attention(const AttentionArgs& args, int kv_head_begin, int kv_head_end);
void reference_attention_merge(const AttentionArgs& args, int kv_head_begin, int kv_head_end);
std::size_t reference_attention_scratch_bytes(int heads, int kv_heads, int head_dim, std::int64_t page_tokens);

}  // namespace codicil::kernels
