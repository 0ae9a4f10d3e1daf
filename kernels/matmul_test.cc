// Weights of every type: known bytes mean the right numbers, and every table multiplies like the reference, bit for bit.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/reference/formats.h"
#include "kernels/test_checks.h"

namespace codicil::kernels {
namespace {

// The places of the f16 factors in a block of a type, so that random bytes become finite numbers.
std::vector<int> half_places(Type type) {
  switch (type) {
    case Type::q4_1:
    case Type::q5_1:
    case Type::q4_k:
    case Type::q5_k:
      return {0, 2};
    case Type::q6_k:
      return {208};
    case Type::q3_k:
      return {108};
    case Type::q2_k:
      return {80, 82};
    case Type::mxfp4:
      return {};  // a power of two
    default:
      return {0};
  }
}

std::vector<std::uint8_t> random_weights(Type type, std::int64_t rows, std::int64_t cols) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(rows * row_bytes(type, cols)));
  const TypeInfo& info = *find_type(static_cast<std::uint32_t>(type));
  if (is_float(type)) {
    for (std::int64_t i = 0; i < rows * cols; ++i) {
      const float v = uniform(-1, 1);
      std::uint32_t bits;
      std::memcpy(&bits, &v, 4);
      const std::uint16_t narrow = type == Type::f16 ? float_to_half(v) : static_cast<std::uint16_t>(bits >> 16);
      if (type == Type::f32)
        std::memcpy(bytes.data() + i * 4, &v, 4);
      else
        std::memcpy(bytes.data() + i * 2, &narrow, 2);
    }
    return bytes;
  }
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_bits()());
  for (std::size_t block = 0; block < bytes.size(); block += static_cast<std::size_t>(info.block_bytes)) {
    if (type == Type::mxfp4) bytes[block] = static_cast<std::uint8_t>(118 + bytes[block] % 12);
    for (int place : half_places(type)) {
      const std::uint16_t half = float_to_half(uniform(-0.1f, 0.1f));
      std::memcpy(bytes.data() + block + static_cast<std::size_t>(place), &half, 2);
    }
  }
  return bytes;
}

// The product of a table with its range split at `split` (a multiple of pack_rows, or 0).
std::vector<float> multiply(const Ops& ops, Type type, const std::vector<std::uint8_t>& gguf, std::int64_t rows, std::int64_t cols, const float* x,
                            std::int64_t x_stride, std::int64_t tokens, std::int64_t split) {
  Buffer<std::uint8_t> packed(ops.packed_bytes(type, rows, cols));
  if (split) ops.pack(type, gguf.data(), rows, cols, packed.data, 0, split);
  ops.pack(type, gguf.data(), rows, cols, packed.data, split, rows);
  Buffer<std::uint8_t> prepared(ops.activation_bytes(type, tokens, cols));
  const Activations activations{tokens, cols, prepared.data};
  const std::int64_t half = tokens / 2;
  ops.prepare(type, x, x_stride, activations, half, tokens);
  if (half) ops.prepare(type, x, x_stride, activations, 0, half);
  const Weights weights{type, rows, cols, packed.data};
  const std::int64_t stride = rows + 3;
  std::vector<float> out(static_cast<std::size_t>(tokens * stride), -77.0f);
  if (split) ops.matmul(weights, activations, out.data(), stride, 0, split);
  ops.matmul(weights, activations, out.data(), stride, split, rows);
  return out;
}

void test_matmul(const Ops& ops) {
  const Type types[] = {Type::f32,  Type::f16,  Type::bf16, Type::q4_0, Type::q4_1, Type::q5_0,   Type::q5_1,   Type::q8_0,
                        Type::q4_k, Type::q5_k, Type::q6_k, Type::q3_k, Type::q2_k, Type::iq4_nl, Type::iq4_xs, Type::mxfp4};
  const std::int64_t row_counts[] = {1, 7, 16, 17, 33, 72};
  const std::int64_t token_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 48};
  for (Type type : types) {
    const TypeInfo& info = *find_type(static_cast<std::uint32_t>(type));
    if (ops.packed_bytes(type, 16, 512) == 0) continue;  // left to the reference
    const std::int64_t unit = info.block_elements == 1 ? 5 : info.block_elements;
    for (std::int64_t cols : {unit, 3 * unit}) {
      for (std::int64_t rows : row_counts) {
        const auto gguf = random_weights(type, rows, cols);
        const std::int64_t most = 48, stride = cols + 1;
        auto x = uniform_vector(most * stride, -3, 3);
        for (std::int64_t c = 0; c < cols; ++c) x[static_cast<std::size_t>(2 * stride + c)] = 0;        // an empty token
        for (std::int64_t c = 0; c < cols; ++c) x[static_cast<std::size_t>(3 * stride + c)] *= 1e-38f;  // below what can be quantized
        for (std::int64_t c = 0; c < cols; ++c) x[static_cast<std::size_t>(4 * stride + c)] *= 1e6f;    // and very large
        const auto want = multiply(reference(), type, gguf, rows, cols, x.data(), stride, most, 0);
        for (std::int64_t tokens : token_counts) {
          for (std::int64_t split : {std::int64_t{0}, ops.pack_rows}) {
            if (split >= rows) continue;
            const auto got = multiply(ops, type, gguf, rows, cols, x.data(), stride, tokens, split);
            check(same_bits(got.data(), want.data(), got.size()), std::string(ops.name) + " matmul equals the reference bit for bit: " + info.name +
                                                                      " rows " + std::to_string(rows) + " cols " + std::to_string(cols) + " tokens " +
                                                                      std::to_string(tokens) + " split " + std::to_string(split));
          }
        }
      }
    }
  }
}

// The largest codes with the largest activations: the sums of narrow integers must not wrap.
void test_matmul_extremes(const Ops& ops) {
  for (Type type : {Type::q4_0, Type::q4_1, Type::q5_0, Type::q5_1, Type::q8_0, Type::q4_k, Type::q5_k, Type::q6_k, Type::q3_k, Type::iq4_nl,
                    Type::iq4_xs, Type::mxfp4}) {
    const TypeInfo& info = *find_type(static_cast<std::uint32_t>(type));
    const std::int64_t cols = 512, rows = 16;
    for (int fill : {0x00, 0x7f, 0x80, 0xff}) {
      auto gguf = random_weights(type, rows, cols);
      const auto original = gguf;
      std::memset(gguf.data(), fill, gguf.size());
      for (std::size_t block = 0; block < gguf.size(); block += static_cast<std::size_t>(info.block_bytes))
        for (int place : half_places(type)) std::memcpy(gguf.data() + block + place, original.data() + block + place, 2);
      for (float sign : {1.0f, -1.0f}) {
        const std::vector<float> x(static_cast<std::size_t>(cols * 5), sign);
        const auto want = multiply(reference(), type, gguf, rows, cols, x.data(), cols, 5, 0);
        const auto got = multiply(ops, type, gguf, rows, cols, x.data(), cols, 5, 0);
        check(same_bits(got.data(), want.data(), got.size()), std::string(ops.name) + " matmul does not overflow: " + info.name);
      }
    }
  }
}

// Quantized activations are an approximation: the reference itself is compared with plain arithmetic over dequantized weights.
void test_reference_matmul() {
  for (Type type : {Type::f32, Type::f16, Type::bf16, Type::q4_0, Type::q4_1, Type::q5_0, Type::q5_1, Type::q8_0, Type::q4_k, Type::q5_k, Type::q6_k,
                    Type::q3_k, Type::q2_k, Type::iq4_nl, Type::iq4_xs, Type::mxfp4}) {
    const std::int64_t cols = 512, rows = 24;
    const auto gguf = random_weights(type, rows, cols);
    const auto x = uniform_vector(cols, -1, 1);
    const auto got = multiply(reference(), type, gguf, rows, cols, x.data(), cols, 1, 0);
    double error = 0, size = 0;
    std::vector<float> row(static_cast<std::size_t>(cols));
    for (std::int64_t r = 0; r < rows; ++r) {
      reference().dequantize_row(type, gguf.data() + r * row_bytes(type, cols), row.data(), cols);
      double sum = 0, scale = 0;
      for (std::size_t c = 0; c < row.size(); ++c) {
        sum += static_cast<double>(row[c]) * x[c];
        scale += std::fabs(static_cast<double>(row[c]) * x[c]);
      }
      error += std::fabs(got[static_cast<std::size_t>(r)] - sum);
      size += scale;
    }
    check(error <= 0.002 * size,
          std::string("reference matmul follows the dequantized weights: ") + find_type(static_cast<std::uint32_t>(type))->name);
  }
}

// Known bytes and the numbers that the format says they are.
void test_formats() {
  std::uint8_t q4[18] = {0x00, 0x3c};  // d = 1
  for (int i = 0; i < 16; ++i) q4[2 + i] = static_cast<std::uint8_t>(i | ((15 - i) << 4));
  float out[256];
  reference().dequantize_row(Type::q4_0, q4, out, 32);
  bool ok = true;
  for (int i = 0; i < 16; ++i) ok &= out[i] == static_cast<float>(i - 8) && out[16 + i] == static_cast<float>(7 - i);
  check(ok, "q4_0 keeps elements 0..15 in low nibbles and 16..31 in high nibbles");

  std::uint8_t q8[34] = {0x00, 0x38};  // d = 0.5
  for (int i = 0; i < 32; ++i) q8[2 + i] = static_cast<std::uint8_t>(i * 8 - 128);
  reference().dequantize_row(Type::q8_0, q8, out, 32);
  ok = true;
  for (int i = 0; i < 32; ++i) ok &= out[i] == 0.5f * static_cast<float>(i * 8 - 128);
  check(ok, "q8_0 is d times signed bytes");

  std::uint8_t q5[22] = {0x00, 0x3c, 0x01, 0x00, 0x00, 0x80};  // fifth bits of elements 0 and 31
  reference().dequantize_row(Type::q5_0, q5, out, 32);
  check(out[0] == 0 && out[1] == -16 && out[30] == -16 && out[31] == 0, "q5_0 takes fifth bits in element order");

  std::uint8_t q4k[144] = {0x00, 0x3c, 0x00, 0x40};  // d = 1, dmin = 2
  q4k[4] = 3;                                        // scale of sub-block 0
  q4k[4 + 4] = 5;                                    // minimum of sub-block 0
  q4k[4 + 8] = 0x21;                                 // sub-block 4: scale low nibble 1, minimum low nibble 2
  q4k[4] |= 0x80;                                    // scale of sub-block 4: top bits 2
  q4k[4 + 4] |= 0x40;                                // minimum of sub-block 4: top bits 1
  q4k[16] = 0x07;                                    // element 0 code 7, element 32 code 0
  q4k[16 + 64] = 0x09;                               // element 128 code 9
  reference().dequantize_row(Type::q4_k, q4k, out, 256);
  check(out[0] == 3 * 7 - 2 * 5 && out[1] == -10 && out[32] == 0 && out[128] == 33 * 9 - 2 * 18 && out[129] == -36,
        "q4_K unpacks 6-bit scales and minima");

  std::uint8_t q6k[210] = {};
  q6k[209] = 0x3c;  // d = 1
  for (int i = 0; i < 16; ++i) q6k[192 + i] = static_cast<std::uint8_t>(i + 1);
  q6k[0] = 0xa5;    // element 0 low bits 5, element 64 low bits 10
  q6k[128] = 0x1b;  // tops: element 0: 3, 32: 2, 64: 1, 96: 0
  q6k[64] = 0x04;   // element 128 low bits 4
  reference().dequantize_row(Type::q6_k, q6k, out, 256);
  check(out[0] == 1 * (5 + 48 - 32) && out[32] == 3 * (32 - 32) && out[64] == 5 * (10 + 16 - 32) && out[96] == 7 * -32 && out[128] == 9 * (4 - 32) &&
            out[16] == 2 * -32,
        "q6_K puts its parts together");
}

void test_table(const Ops& ops) {
  test_matmul(ops);
  test_matmul_extremes(ops);
}

}  // namespace
}  // namespace codicil::kernels

int main() {
  codicil::kernels::test_formats();
  codicil::kernels::test_reference_matmul();
  return codicil::kernels::test_tables(codicil::kernels::test_table);
}
