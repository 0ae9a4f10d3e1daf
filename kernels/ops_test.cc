// Every op of every table against the reference, at the shapes where vector code goes wrong.
//
// Prints "N passed, N failed" and names the tables that were skipped because this machine lacks them; exits 1 on any failure.
// Tolerances: matmul, prepare and conversions must agree bit for bit (the order of the arithmetic is part of the specification);
// ops that sum or exponentiate in another order get the relative error that is stated at each check.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/reference/formats.h"

using namespace codicil::kernels;  // a test program, nothing includes it

namespace {

int passed = 0, failed = 0;

void check(bool ok, const std::string& what) {
  if (ok) {
    ++passed;
  } else if (++failed <= 40) {
    std::printf("FAILED: %s\n", what.c_str());
  }
}

// 64-byte aligned memory that the sanitizer guards at both ends.
template <class T>
struct Buffer {
  explicit Buffer(std::size_t count) : size(count), data(static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64 + 64))) {
    std::memset(static_cast<void*>(data), 0xff, (count * sizeof(T) + 63) / 64 * 64 + 64);  // NaN: reading what was not written shows
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data); }
  T& operator[](std::size_t i) { return data[i]; }
  std::size_t size;
  T* data;
};

std::mt19937& random_bits() {
  static std::mt19937 generator(20261130);
  return generator;
}
float uniform(float low, float high) { return std::uniform_real_distribution<float>(low, high)(random_bits()); }
std::vector<float> uniform_vector(std::int64_t n, float low, float high) {
  std::vector<float> out(static_cast<std::size_t>(n));
  for (float& v : out) v = uniform(low, high);
  return out;
}

bool same_bits(const float* a, const float* b, std::size_t n) { return n == 0 || std::memcmp(a, b, n * sizeof(float)) == 0; }
bool close(const float* got, const float* want, std::size_t n, double relative, double absolute) {
  for (std::size_t i = 0; i < n; ++i)
    if (!(std::fabs(static_cast<double>(got[i]) - want[i]) <= absolute + relative * std::fabs(want[i]))) return false;
  return true;
}

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

void test_f16(const Ops& ops) {
  std::vector<std::uint16_t> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  std::vector<float> want(65536), got(65536);
  reference().from_f16(halves.data(), want.data(), 65536);
  ops.from_f16(halves.data(), got.data(), 65536);
  check(same_bits(got.data(), want.data(), got.size()), std::string(ops.name) + " from_f16 is exact for all 65536 values");
  std::vector<float> in;
  for (std::size_t i = 0; i < 65536; ++i) {
    if (!std::isfinite(want[i])) continue;
    in.insert(in.end(), {want[i], std::nextafterf(want[i], 1e9f), std::nextafterf(want[i], -1e9f)});
    const float half_way = 0.5f * (want[i] + half_to_float(static_cast<std::uint16_t>(i + 1)));
    if (std::isfinite(half_way)) in.insert(in.end(), {half_way, std::nextafterf(half_way, 1e9f), std::nextafterf(half_way, -1e9f)});
  }
  in.insert(in.end(), {65519.9f, 65520.0f, 1e30f, -1e30f, 1e-30f, std::numeric_limits<float>::infinity()});
  std::vector<std::uint16_t> a(in.size()), b(in.size());
  reference().to_f16(in.data(), a.data(), static_cast<std::int64_t>(in.size()));
  ops.to_f16(in.data(), b.data(), static_cast<std::int64_t>(in.size()));
  check(a == b, std::string(ops.name) + " to_f16 rounds to nearest even everywhere");
  std::uint16_t seven[8] = {1, 2, 3, 4, 5, 6, 7, 0xabcd};
  ops.to_f16(in.data(), seven, 7);
  check(seven[7] == 0xabcd, std::string(ops.name) + " to_f16 writes no more than it was asked");
}

void test_vectors(const Ops& ops) {
  const std::string name = ops.name;
  for (std::int64_t n : {1, 7, 8, 15, 16, 17, 33, 64, 576, 1536, 4099}) {
    const auto count = static_cast<std::size_t>(n);
    const std::string at = " n " + std::to_string(n);
    const auto x = uniform_vector(n, -8, 8), y = uniform_vector(n, -2, 2);
    std::vector<float> want(count), got(count + 1, -77.0f);
    reference().rms_norm(x.data(), y.data(), 1e-5f, want.data(), n);
    ops.rms_norm(x.data(), y.data(), 1e-5f, got.data(), n);
    check(close(got.data(), want.data(), count, 2e-6, 0) && got[count] == -77.0f, name + " rms_norm" + at);  // f32 sum of n squares

    want = x, got.assign(x.begin(), x.end()), got.push_back(-77.0f);
    reference().add(want.data(), y.data(), n);
    ops.add(got.data(), y.data(), n);
    check(same_bits(got.data(), want.data(), count) && got[count] == -77.0f, name + " add" + at);

    auto gate = uniform_vector(n, -30, 30);
    gate[0] = n % 2 ? -100.0f : 100.0f;
    want = gate, got.assign(gate.begin(), gate.end()), got.push_back(-77.0f);
    reference().silu_mul(want.data(), y.data(), n);
    ops.silu_mul(got.data(), y.data(), n);
    check(close(got.data(), want.data(), count, 1e-6, 1e-35) && got[count] == -77.0f, name + " silu_mul" + at);  // exp to 2e-7

    want = x, got.assign(x.begin(), x.end()), got.push_back(-77.0f);
    reference().add_scaled(want.data(), y.data(), 0.37f, n);
    ops.add_scaled(got.data(), y.data(), 0.37f, n);
    check(close(got.data(), want.data(), count, 2e-7, 1e-6) && got[count] == -77.0f, name + " add_scaled" + at);  // one rounding less

    want = y, got.assign(y.begin(), y.end()), got.push_back(-77.0f);
    reference().sigmoid_mul(want.data(), gate.data(), n);
    ops.sigmoid_mul(got.data(), gate.data(), n);
    check(close(got.data(), want.data(), count, 1e-6, 1e-35) && got[count] == -77.0f, name + " sigmoid_mul" + at);  // exp to 2e-7

    const auto taps = uniform_vector(n * 4, -1, 1);
    const float* rows[] = {x.data(), y.data(), gate.data(), x.data()};
    got.assign(count + 1, -77.0f);
    reference().conv_silu(taps.data(), rows, 4, want.data(), n);
    ops.conv_silu(taps.data(), rows, 4, got.data(), n);
    check(close(got.data(), want.data(), count, 4e-6, 4e-6) && got[count] == -77.0f, name + " conv_silu" + at);  // sums of four products up to 100

    check(ops.argmax(x.data(), n) == reference().argmax(x.data(), n), name + " argmax" + at);
    auto tied = x;
    tied[count - 1] = tied[count / 2] = 9;
    check(ops.argmax(tied.data(), n) == n / 2, name + " argmax takes the lowest index of a tie" + at);
    const auto logits = uniform_vector(n, -40, 20);
    check(std::fabs(ops.log_sum_exp(logits.data(), n) - reference().log_sum_exp(logits.data(), n)) < 1e-6, name + " log_sum_exp" + at);
  }
  const std::vector<float> masked = {-std::numeric_limits<float>::infinity(), 2.0f, -std::numeric_limits<float>::infinity()};
  check(std::fabs(ops.log_sum_exp(masked.data(), 3) - 2.0) < 1e-6, name + " log_sum_exp ignores masked values");
  check(ops.argmax(masked.data(), 3) == 1, name + " argmax ignores masked values");
}

void test_rope(const Ops& ops) {
  for (RopeKind kind : {RopeKind::interleaved, RopeKind::neox}) {
    for (int head_dim : {8, 24, 64, 80, 128, 256}) {
      for (int rope_dims : {head_dim, head_dim / 4 * 2, 2}) {
        const int heads = 3;
        const auto x = uniform_vector(heads * head_dim, -4, 4);
        std::vector<float> angles;
        for (int i = 0; i < rope_dims / 2; ++i) {
          const double angle = 1234.0 * std::pow(10000.0, -2.0 * i / rope_dims);
          angles.push_back(static_cast<float>(std::cos(angle)));
          angles.push_back(static_cast<float>(std::sin(angle)));
        }
        auto want = x, got = x;
        got.push_back(-77.0f);
        reference().rope(kind, want.data(), heads, head_dim, rope_dims, angles.data());
        ops.rope(kind, got.data(), heads, head_dim, rope_dims, angles.data());
        // two products of up to 4 and one rounding more or less
        check(close(got.data(), want.data(), want.size(), 1e-6, 1e-6) && got.back() == -77.0f,
              std::string(ops.name) + " rope head_dim " + std::to_string(head_dim) + " dims " + std::to_string(rope_dims));
      }
    }
  }
}

constexpr KvType kKvTypes[] = {KvType::f16, KvType::q8_0, KvType::q4, KvType::nf4};
const char* name_of(KvType type) {
  constexpr const char* kNames[] = {"f16", "q8_0", "q4", "nf4"};
  return kNames[static_cast<int>(type)];
}

// Rows of keys and values: the same bytes in every table, and numbers that are near those that were stored.
void test_kv_rows(const Ops& ops) {
  for (KvType type : kKvTypes) {
    for (std::int64_t n : {32, 64, 96, 128, 256}) {
      const auto size = static_cast<std::size_t>(kv_row_bytes(type, n));
      for (float range : {0.0f, 1e-9f, 1e-6f, 1.0f, 900.0f}) {
        auto x = uniform_vector(n, -range, range);
        if (range > 1) x[5] = 6e4f, x[7] = -6e4f;
        std::vector<std::uint8_t> want(size + 1, 0xee), got(size + 1, 0xee);
        reference().store_kv(type, x.data(), want.data(), n);
        ops.store_kv(type, x.data(), got.data(), n);
        const std::string at = std::string(ops.name) + " store_kv " + name_of(type) + " n " + std::to_string(n) + " range " + std::to_string(range);
        check(want == got && got[size] == 0xee, at + " writes the reference's bytes");
        // Half a step of the block's grid (the widest of nf4's; q4's scale may move its ends a little further); below the smallest f16 scale everything is 0.
        bool near = true;
        for (std::int64_t i = 0; i < n; ++i) {
          double largest = 0;
          for (std::int64_t j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            largest = std::fmax(largest, std::fabs(static_cast<double>(x[static_cast<std::size_t>(j)])));
          const double step = type == KvType::f16 ? 0 : largest * (type == KvType::q8_0 ? 0.5 / 127 : type == KvType::q4 ? 0.2 : 0.1525);
          const double value = x[static_cast<std::size_t>(i)];
          near &= std::fabs(kv_value(type, got.data(), i) - value) <= step * 1.01 + std::fabs(value) / 1024 + (range < 1e-3f ? 2e-6 : 1e-7);
        }
        check(near, at + " keeps every number within half a step");
      }
    }
  }
  // A key among the 16 of its group: the row's numbers, and no byte of the others.
  for (KvType type : kKvTypes)
    for (std::int64_t n : {32, 64, 96, 256})
      for (int slot : {0, 7, 15}) {
        const auto x = uniform_vector(n, -3, 3);
        const auto size = static_cast<std::size_t>(kv_row_bytes(type, n));
        std::vector<std::uint8_t> row(size), want(size * kKvGroup, 0xee), got(size * kKvGroup + 1, 0xee);
        reference().store_kv(type, x.data(), row.data(), n);
        reference().store_key(type, x.data(), want.data(), slot, n);
        ops.store_key(type, x.data(), got.data(), slot, n);
        bool same = true;
        for (std::int64_t i = 0; i < n; ++i) same &= kv_key(type, got.data(), slot, i) == kv_value(type, row.data(), i);
        const auto untouched = std::count(got.begin(), got.end(), 0xee);
        const std::string at = std::string(ops.name) + " store_key " + name_of(type) + " n " + std::to_string(n) + " slot " + std::to_string(slot);
        check(std::equal(want.begin(), want.end(), got.begin()) && got.back() == 0xee, at + " writes the reference's bytes");
        check(same && untouched >= static_cast<std::ptrdiff_t>(size * (kKvGroup - 1) + 1), at + " is the row, and leaves the other keys alone");
      }
  for (std::int64_t n : {64, 128, 320}) {
    const auto x = uniform_vector(n, -3, 3), y = uniform_vector(n, -3, 3);
    auto want = x, got = x, other = y;
    reference().hadamard(want.data(), n);
    ops.hadamard(got.data(), n);
    ops.hadamard(other.data(), n);
    check(same_bits(got.data(), want.data(), got.size()), std::string(ops.name) + " hadamard equals the reference bit for bit");
    double before = 0, after = 0;
    for (std::size_t i = 0; i < x.size(); ++i) before += static_cast<double>(x[i]) * y[i], after += static_cast<double>(got[i]) * other[i];
    check(std::fabs(before - after) < 1e-4, std::string(ops.name) + " hadamard keeps products");
    ops.hadamard(got.data(), n);
    check(close(got.data(), x.data(), x.size(), 0, 2e-6), std::string(ops.name) + " hadamard is its own inverse");
  }
}

struct AttentionCase {
  int heads, kv_heads, head_dim;
  std::int64_t page_tokens, queries, first_position;
  KvType k_type = KvType::f16, v_type = KvType::f16;
};

// Pages of random keys and values; what lies beyond the last token is NaN and must not be read into any result.
struct Pages {
  Pages(const AttentionCase& c, float range) {
    const std::int64_t tokens = c.first_position + c.queries, pages = (tokens + c.page_tokens - 1) / c.page_tokens;
    const std::int64_t k_row = kv_row_bytes(c.k_type, c.head_dim), v_row = kv_row_bytes(c.v_type, c.head_dim);
    const std::int64_t rows = c.kv_heads * c.page_tokens, page_bytes = rows * (k_row + v_row);
    bytes.resize(static_cast<std::size_t>(pages * page_bytes));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = i % 2 ? 0x7f : 0xff;
    for (std::int64_t page = 0; page < pages; ++page)
      blocks.push_back({bytes.data() + page * page_bytes, bytes.data() + page * page_bytes + rows * k_row});
    for (std::int64_t position = 0; position < tokens; ++position)
      for (std::int64_t h = 0; h < c.kv_heads; ++h) {
        const std::int64_t row = h * c.page_tokens + position % c.page_tokens;
        std::uint8_t* page = bytes.data() + position / c.page_tokens * page_bytes;
        const auto k = uniform_vector(c.head_dim, -range, range), v = uniform_vector(c.head_dim, -2, 2);
        const std::int64_t slot = row % kKvGroup;
        reference().store_key(c.k_type, k.data(), page + (row - slot) * k_row, static_cast<int>(slot), c.head_dim);
        reference().store_kv(c.v_type, v.data(), page + rows * k_row + row * v_row, c.head_dim);
      }
  }
  std::vector<std::uint8_t> bytes;
  std::vector<KvBlock> blocks;
};

// How a walk is cut: by head, or into calls of `span_pages` pages, where a page is there only while its call runs; joined as they go, or at the end.
enum class Cut { none, heads, carried, merged };

std::vector<float> attend(const Ops& ops, const AttentionCase& c, const Pages& pages, const std::vector<float>& q, std::int64_t stride, Cut cut,
                          std::int64_t span_pages = 0) {
  Buffer<std::uint8_t> scratch(ops.attention_scratch_bytes(c.heads, c.kv_heads, c.head_dim, c.page_tokens));
  std::vector<float> out(static_cast<std::size_t>(c.queries * stride), -77.0f);
  AttentionArgs args;
  args.q = q.data();
  args.q_stride = args.out_stride = stride;
  args.out = out.data();
  args.blocks = pages.blocks.data();
  args.k_type = c.k_type;
  args.v_type = c.v_type;
  args.page_tokens = c.page_tokens;
  args.queries = c.queries;
  args.first_position = c.first_position;
  args.heads = c.heads;
  args.kv_heads = c.kv_heads;
  args.head_dim = c.head_dim;
  args.scale = 1.0f / std::sqrt(static_cast<float>(c.head_dim));
  args.scratch = scratch.data;
  if (cut == Cut::carried || cut == Cut::merged) {
    Buffer<std::uint8_t> carry(static_cast<std::size_t>(c.queries * c.heads) * attention_carry_bytes(c.head_dim));
    args.carry = carry.data;
    const auto count = static_cast<std::int64_t>(pages.blocks.size());
    const std::size_t state_bytes = static_cast<std::size_t>(c.queries * c.heads) * attention_carry_bytes(c.head_dim);
    Buffer<std::uint8_t> states(state_bytes * static_cast<std::size_t>(count));
    for (std::int64_t page = 0; page < count; page += span_pages) {
      std::vector<KvBlock> present(pages.blocks.size());
      for (std::int64_t p = page; p < std::min(page + span_pages, count); ++p)
        present[static_cast<std::size_t>(p)] = pages.blocks[static_cast<std::size_t>(p)];
      args.blocks = present.data();
      args.key_begin = page * c.page_tokens;
      args.key_end = (page + span_pages) * c.page_tokens;
      args.page_states = cut == Cut::merged ? states.data + state_bytes * static_cast<std::size_t>(page) : nullptr;
      ops.attention(args, 0, c.kv_heads);
    }
    if (cut == Cut::merged) {
      args.blocks = nullptr;
      args.key_begin = 0, args.key_end = INT64_MAX;
      args.page_states = states.data;
      for (int h = 0; h < c.kv_heads; ++h) ops.attention_merge(args, h, h + 1);
    }
  } else if (cut == Cut::heads) {
    for (int h = c.kv_heads - 1; h >= 0; --h) ops.attention(args, h, h + 1);
  } else {
    ops.attention(args, 0, c.kv_heads);
  }
  return out;
}

void test_attention(const Ops& ops) {
  std::vector<AttentionCase> cases = {
      {9, 3, 64, 64, 1, 0},     {9, 3, 64, 64, 7, 0},     {9, 3, 64, 64, 1, 63},    {9, 3, 64, 64, 1, 64},     {9, 3, 64, 64, 3, 63},
      {9, 3, 64, 256, 130, 0},  {9, 3, 64, 256, 70, 190}, {9, 3, 64, 256, 1, 2399}, {9, 3, 64, 256, 33, 1000}, {4, 4, 128, 64, 5, 100},
      {14, 2, 64, 64, 20, 50},  {8, 1, 256, 32, 9, 40},   {4, 2, 80, 48, 11, 90},   {2, 1, 16, 16, 40, 5},     {2, 2, 24, 64, 6, 70},
      {6, 2, 96, 112, 17, 250}, {16, 2, 128, 64, 2, 500}, {5, 1, 64, 64, 1, 129},   {4, 1, 32, 64, 1, 10},     {100, 1, 16, 64, 2, 70},
  };
  // Pages of every format: heads with and without a rotation, first, last and next page, part of a tile, one query and many.
  for (const auto& [k, v] : {std::pair{KvType::q8_0, KvType::q8_0}, {KvType::q8_0, KvType::q4}, {KvType::q4, KvType::q4}, {KvType::nf4, KvType::nf4}})
    for (const AttentionCase& c : {AttentionCase{3, 1, 64, 256, 1, 0},
                                   {9, 3, 64, 256, 1, 255},
                                   {9, 3, 64, 256, 1, 256},
                                   {6, 2, 64, 64, 40, 50},
                                   {3, 1, 64, 256, 1, 700},
                                   {6, 2, 96, 64, 17, 70},
                                   {4, 1, 128, 256, 5, 300},
                                   {8, 1, 256, 64, 2, 130}}) {
      cases.push_back(c);
      cases.back().k_type = k, cases.back().v_type = v;
    }
  for (const AttentionCase& c : cases) {
    for (float range : {1.0f, 12.0f}) {  // flat and very peaked weights
      const Pages pages(c, range);
      const std::int64_t stride = c.heads * c.head_dim + 5;
      const auto q = uniform_vector(c.queries * stride, -range, range);
      const std::string at = std::string(ops.name) + " attention heads " + std::to_string(c.heads) + "/" + std::to_string(c.kv_heads) + " dim " +
                             std::to_string(c.head_dim) + " page " + std::to_string(c.page_tokens) + " queries " + std::to_string(c.queries) +
                             " from " + std::to_string(c.first_position) + " range " + std::to_string(range) + " " + name_of(c.k_type) + "/" +
                             name_of(c.v_type);
      const auto want = attend(reference(), c, pages, q, stride, Cut::none);
      const auto got = attend(ops, c, pages, q, stride, Cut::none);
      // f32 scores of up to 12 * 12 * sqrt(dim) carry an absolute error near 1e-5 * size, which the exponential passes on.
      check(close(got.data(), want.data(), got.size(), 1e-5, range > 1 ? 3e-3 : 2e-5), at);
      check(same_bits(attend(ops, c, pages, q, stride, Cut::heads).data(), got.data(), got.size()), at + " is the same head by head");
      for (const std::int64_t span : {1, 3}) {
        check(same_bits(attend(ops, c, pages, q, stride, Cut::carried, span).data(), got.data(), got.size()),
              at + " is the same in calls of " + std::to_string(span) + " pages");
        check(same_bits(attend(ops, c, pages, q, stride, Cut::merged, span).data(), got.data(), got.size()),
              at + " is the same joined from calls of " + std::to_string(span) + " pages");
      }
      if (c.queries == 1) continue;
      bool same = true;
      for (std::int64_t i = 0; i < c.queries; ++i) {
        AttentionCase one = c;
        one.queries = 1;
        one.first_position += i;
        const std::vector<float> row(q.begin() + i * stride, q.begin() + (i + 1) * stride);
        const auto alone = attend(ops, one, pages, row, stride, Cut::none);
        same &= same_bits(alone.data(), got.data() + i * stride, static_cast<std::size_t>(c.heads * c.head_dim));
      }
      check(same, at + " is the same query by query");
    }
  }
}

// One head of the delta rule, as its layer makes it: keys and queries of length 1, gates of a softplus and a sigmoid.
void test_delta(const Ops& ops) {
  for (int dim : {8, 24, 64, 100, 128, 256}) {
    for (std::int64_t tokens : {1, 2, 7, 64, 300}) {
      const std::int64_t stride = 3 * dim + 5, gates = 3;
      auto qkv = uniform_vector(tokens * stride, -1, 1);
      for (std::int64_t t = 0; t < tokens; ++t)
        for (int part = 0; part < 2; ++part) {
          float* row = qkv.data() + t * stride + part * dim;
          double sum = 0;
          for (int i = 0; i < dim; ++i) sum += static_cast<double>(row[i]) * row[i];
          for (int i = 0; i < dim; ++i) row[i] = static_cast<float>(row[i] / std::sqrt(sum));
        }
      const auto decay = uniform_vector(tokens * gates, 0.5f, 1), beta = uniform_vector(tokens * gates, 0.05f, 0.95f);
      const auto start = uniform_vector(dim * dim, -1, 1);
      const auto run = [&](const Ops& table, std::int64_t cut) {
        std::vector<float> out(static_cast<std::size_t>(tokens * dim)), state(start.begin(), start.end());
        const auto part = [&](std::int64_t from, std::int64_t to) {
          DeltaArgs args;
          args.state = state.data();
          args.q = qkv.data() + from * stride;
          args.k = args.q + dim;
          args.v = args.q + 2 * dim;
          args.qkv_stride = stride;
          args.decay = decay.data() + from * gates;
          args.beta = beta.data() + from * gates;
          args.gate_stride = gates;
          args.out = out.data() + from * dim;
          args.out_stride = dim;
          args.tokens = to - from;
          args.key_dim = args.value_dim = dim;
          table.delta_rule(args);
        };
        part(0, cut);
        part(cut, tokens);
        out.insert(out.end(), state.begin(), state.end());
        return out;
      };
      const std::string at = std::string(ops.name) + " delta_rule dim " + std::to_string(dim) + " tokens " + std::to_string(tokens);
      const auto want = run(reference(), tokens), whole = run(ops, tokens), halves = run(ops, tokens / 2);
      check(close(whole.data(), want.data(), want.size(), 1e-5, 2e-5), at);  // f32 sums of up to 256 products, fed back through 300 steps
      check(same_bits(whole.data(), halves.data(), want.size()), at + ": a cut between tokens changes nothing");
    }
  }
}

void test_table(const Ops& ops) {
  const int before_passed = passed, before_failed = failed;
  test_matmul(ops);
  test_matmul_extremes(ops);
  test_f16(ops);
  test_vectors(ops);
  test_rope(ops);
  test_kv_rows(ops);
  test_attention(ops);
  test_delta(ops);
  std::printf("%s: %d passed, %d failed\n", ops.name, passed - before_passed, failed - before_failed);
}

}  // namespace

int main() {
  test_formats();
  test_reference_matmul();
  test_table(reference());
  int skipped = 0;
  for (const char* name : {"avx2", "avx512", "amx"}) {
    if (const Ops* ops = find_cpu(name)) {
      test_table(*ops);
    } else {
      std::printf("SKIPPED: table %s, this machine cannot run it\n", name);
      ++skipped;
    }
  }
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed ? 1 : 0;
}
