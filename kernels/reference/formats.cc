// Decoding of the GGUF block formats (gguf spec; block layouts as documented by the format).
//
// Owns: find_type, f16 conversion, decode_block, dequantize_row. Everything that knows where a bit lies in a GGUF block is here;
// the packers of the fast tables call decode_block too, so a format is described once.
#include "kernels/reference/formats.h"

#include <cmath>

namespace codicil::kernels {

const std::int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
const std::int8_t kMxfp4Values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

namespace {

// q2_K's codes are numbers; the table keeps its offset free to carry the sums of half blocks, which its two minima need.
constexpr std::int8_t kTwoBitValues[16] = {0, 1, 2, 3};

constexpr TypeInfo kTypes[] = {
    {Type::f32, "f32", 1, 4, true},       {Type::f16, "f16", 1, 2, true},         {Type::bf16, "bf16", 1, 2, true},
    {Type::q4_0, "q4_0", 32, 18, true},   {Type::q4_1, "q4_1", 32, 20, true},     {Type::q5_0, "q5_0", 32, 22, true},
    {Type::q5_1, "q5_1", 32, 24, true},   {Type::q8_0, "q8_0", 32, 34, true},     {Type::q2_k, "q2_K", 256, 84, true},
    {Type::q3_k, "q3_K", 256, 110, true}, {Type::q4_k, "q4_K", 256, 144, true},   {Type::q5_k, "q5_K", 256, 176, true},
    {Type::q6_k, "q6_K", 256, 210, true}, {Type::iq4_nl, "iq4_nl", 32, 18, true}, {Type::iq4_xs, "iq4_xs", 256, 136, true},
    {Type::mxfp4, "mxfp4", 32, 17, true},
};

std::uint16_t read_u16(const std::uint8_t* p) { return static_cast<std::uint16_t>(p[0] | (p[1] << 8)); }

float read_half(const std::uint8_t* p) { return half_to_float(read_u16(p)); }

// 16 bytes: low nibbles are elements 0..15, high nibbles are elements 16..31.
void decode_nibbles(const std::uint8_t* qs, std::uint8_t* codes) {
  for (int i = 0; i < 16; ++i) {
    codes[i] = qs[i] & 15;
    codes[i + 16] = qs[i] >> 4;
  }
}

// Bit i of the 32-bit word is the fifth bit of element i.
void add_fifth_bits(const std::uint8_t* qh, std::uint8_t* codes) {
  for (int i = 0; i < 32; ++i) codes[i] |= static_cast<std::uint8_t>(((qh[i / 8] >> (i % 8)) & 1) << 4);
}

// A block of 32 with its own f16 scale, and perhaps its own f16 minimum.
void set_own_scale(const std::uint8_t* scale, const std::uint8_t* minimum, WeightBlock& out) {
  out.factor_half = read_u16(scale);
  out.scale[0] = out.scale[1] = half_to_float(out.factor_half);
  out.raw_scale[0] = out.raw_scale[1] = out.raw_minimum = 1;
  if (!minimum) return;
  out.minimum_factor_half = read_u16(minimum);
  out.minimum[0] = out.minimum[1] = half_to_float(out.minimum_factor_half);
}

// Eight 6-bit scales and eight 6-bit minima in 12 bytes: the first four of each lie whole in bytes 0..3 and 4..7; the last four have
// their low nibbles in bytes 8..11 and their top two bits in the spare bits of bytes 0..7.
void k_scale(const std::uint8_t* s, int j, int& scale, int& minimum) {
  if (j < 4) {
    scale = s[j] & 63;
    minimum = s[j + 4] & 63;
  } else {
    scale = (s[j + 4] & 15) | ((s[j - 4] >> 6) << 4);
    minimum = (s[j + 4] >> 4) | ((s[j] >> 6) << 4);
  }
}

// q4_K and q5_K: d, dmin, 12 scale bytes, (q5_K: 32 bytes of fifth bits,) 128 bytes of nibbles, 64 columns per 32 bytes.
void decode_k45(const std::uint8_t* block, bool five, int j, WeightBlock& out) {
  const std::uint8_t* qh = block + 16;
  const std::uint8_t* qs = block + (five ? 48 : 16) + (j / 2) * 32;
  for (int i = 0; i < 32; ++i) {
    out.codes[i] = j % 2 ? qs[i] >> 4 : qs[i] & 15;
    if (five) out.codes[i] |= static_cast<std::uint8_t>(((qh[i] >> j) & 1) << 4);
  }
  int scale = 0, minimum = 0;
  k_scale(block + 4, j, scale, minimum);
  out.scale[0] = out.scale[1] = read_half(block) * static_cast<float>(scale);
  out.minimum[0] = out.minimum[1] = -(read_half(block + 2) * static_cast<float>(minimum));
  out.factor_half = read_u16(block);
  out.minimum_factor_half = read_u16(block + 2);
  out.raw_scale[0] = out.raw_scale[1] = static_cast<std::int8_t>(scale);
  out.raw_minimum = static_cast<std::int8_t>(minimum);
}

// q6_K: 128 bytes of nibbles, 64 bytes of 2-bit tops, 16 int8 scales, d. Each half of the block (128 columns) uses 64 + 32 bytes:
// its four 32-column parts take (low, bytes 0..31), (low, bytes 32..63), (high, bytes 0..31), (high, bytes 32..63).
void decode_k6(const std::uint8_t* block, int j, WeightBlock& out) {
  const int half = j / 4, part = j % 4;
  const std::uint8_t* ql = block + half * 64 + (part % 2) * 32;
  const std::uint8_t* qh = block + 128 + half * 32;
  const auto* scales = reinterpret_cast<const std::int8_t*>(block + 192) + half * 8 + part * 2;
  for (int i = 0; i < 32; ++i) {
    const int low = part < 2 ? ql[i] & 15 : ql[i] >> 4;
    out.codes[i] = static_cast<std::uint8_t>(low | (((qh[i] >> (2 * part)) & 3) << 4));
  }
  const float d = read_half(block + 208);
  out.scale[0] = d * static_cast<float>(scales[0]);
  out.scale[1] = d * static_cast<float>(scales[1]);
  out.factor_half = read_u16(block + 208);
  out.raw_scale[0] = scales[0];
  out.raw_scale[1] = scales[1];
}

// q3_K: 32 bytes of third bits, 64 bytes of low bits, 12 bytes with sixteen 6-bit scales (less 32), d. A half of the block (128 columns) uses 32
// bytes of low bits, two of them per part; the third bit of part j is bit j, and where it is missing 4 is subtracted.
void decode_k3(const std::uint8_t* block, int j, WeightBlock& out) {
  const std::uint8_t *high = block, *low = block + 32 + j / 4 * 32, *scales = block + 96;
  for (int i = 0; i < 32; ++i) out.codes[i] = static_cast<std::uint8_t>(((low[i] >> (2 * (j % 4))) & 3) | (((high[i] >> j) & 1) << 2));
  const float d = read_half(block + 108);
  out.factor_half = read_u16(block + 108);
  for (int h = 0; h < 2; ++h) {
    const int at = 2 * j + h;  // low four bits in bytes 0..7, two halves; top two bits in bytes 8..11
    const int nibble = at < 8 ? scales[at] & 15 : scales[at - 8] >> 4;
    const int scale = (nibble | (((scales[8 + at % 4] >> (2 * (at / 4))) & 3) << 4)) - 32;
    out.raw_scale[h] = static_cast<std::int8_t>(scale);
    out.scale[h] = d * static_cast<float>(scale);
  }
}

// q2_K: 16 bytes of scales (low nibble) and minima (high nibble), 64 bytes of codes laid out as in q3_K, d, dmin.
void decode_k2(const std::uint8_t* block, int j, WeightBlock& out) {
  const std::uint8_t* low = block + 16 + j / 4 * 32;
  for (int i = 0; i < 32; ++i) out.codes[i] = (low[i] >> (2 * (j % 4))) & 3;
  const float d = read_half(block + 80), dmin = read_half(block + 82);
  for (int h = 0; h < 2; ++h) {
    const std::uint8_t both = block[2 * j + h];
    out.scale[h] = d * static_cast<float>(both & 15);
    out.minimum[h] = -(dmin * static_cast<float>(both >> 4));
  }
}

// iq4_xs: d, 16 bits with the tops of eight 6-bit scales (less 32), 4 bytes of their low nibbles, 128 bytes of nibbles, 16 per part.
void decode_iq4_xs(const std::uint8_t* block, int j, WeightBlock& out) {
  const int top = (read_u16(block + 2) >> (2 * j)) & 3, low = (block[4 + j / 2] >> (4 * (j % 2))) & 15;
  const int scale = (low | (top << 4)) - 32;
  decode_nibbles(block + 8 + j * 16, out.codes);
  out.factor_half = read_u16(block);
  out.scale[0] = out.scale[1] = half_to_float(out.factor_half) * static_cast<float>(scale);
  out.raw_scale[0] = out.raw_scale[1] = static_cast<std::int8_t>(scale);
}

// mxfp4 (OCP microscaling formats 1.0): a scale 2^(e - 127), then e2m1 numbers; their table holds twice the value, so the scale is halved. It is kept as f16, as
// all scales are: a block whose scale is below 2^-24 is nothing, above 2^15 none was seen.
void decode_mxfp4(const std::uint8_t* block, WeightBlock& out) {
  decode_nibbles(block + 1, out.codes);
  out.factor_half = float_to_half(std::ldexp(1.0f, static_cast<int>(block[0]) - 128));
  out.scale[0] = out.scale[1] = half_to_float(out.factor_half);
  out.raw_scale[0] = out.raw_scale[1] = out.raw_minimum = 1;
}

}  // namespace

const TypeInfo* find_type(std::uint32_t gguf_type) {
  for (const TypeInfo& info : kTypes)
    if (static_cast<std::uint32_t>(info.type) == gguf_type) return &info;
  return nullptr;
}

bool is_float(Type type) { return type == Type::f32 || type == Type::f16 || type == Type::bf16; }

bool is_quantized(Type type) {
  const TypeInfo* info = find_type(static_cast<std::uint32_t>(type));
  return info && info->implemented && !is_float(type);
}

QuantTraits quant_traits(Type type) {
  switch (type) {
    case Type::q4_0:
      return {4, 8, false, false, false};
    case Type::q4_1:
      return {4, 0, false, true, false};
    case Type::q5_0:
      return {5, 16, false, false, false};
    case Type::q5_1:
      return {5, 0, false, true, false};
    case Type::q4_k:
      return {4, 0, false, true, true};
    case Type::q5_k:
      return {5, 0, false, true, true};
    case Type::q6_k:
      return {6, 32, true, false, true};
    case Type::q3_k:
      return {4, 4, true, false, true};
    case Type::q2_k:
      return {4, 1, true, true, true, kTwoBitValues};
    case Type::iq4_nl:
      return {4, 128, false, false, false, kIq4Values};
    case Type::iq4_xs:
      return {4, 128, false, false, true, kIq4Values};
    case Type::mxfp4:
      return {4, 128, false, false, false, kMxfp4Values};
    default:
      return {8, 128, false, false, false};  // q8_0, its int8 codes moved to 0..255
  }
}

std::int64_t row_bytes(Type type, std::int64_t cols) {
  const TypeInfo* info = find_type(static_cast<std::uint32_t>(type));
  return info ? cols / info->block_elements * info->block_bytes : 0;
}

void decode_block(Type type, const std::uint8_t* row, std::int64_t index, WeightBlock& out) {
  out.minimum[0] = out.minimum[1] = 0;
  out.minimum_factor_half = 0;
  out.raw_minimum = 0;
  const int j = static_cast<int>(index % 8);  // place in a 256-column block
  switch (type) {
    case Type::q4_0: {
      const std::uint8_t* block = row + index * 18;
      set_own_scale(block, nullptr, out);
      decode_nibbles(block + 2, out.codes);
      break;
    }
    case Type::q4_1: {
      const std::uint8_t* block = row + index * 20;
      set_own_scale(block, block + 2, out);
      decode_nibbles(block + 4, out.codes);
      break;
    }
    case Type::q5_0: {
      const std::uint8_t* block = row + index * 22;
      set_own_scale(block, nullptr, out);
      decode_nibbles(block + 6, out.codes);
      add_fifth_bits(block + 2, out.codes);
      break;
    }
    case Type::q5_1: {
      const std::uint8_t* block = row + index * 24;
      set_own_scale(block, block + 2, out);
      decode_nibbles(block + 8, out.codes);
      add_fifth_bits(block + 4, out.codes);
      break;
    }
    case Type::q4_k:
      decode_k45(row + index / 8 * 144, false, j, out);
      break;
    case Type::q5_k:
      decode_k45(row + index / 8 * 176, true, j, out);
      break;
    case Type::q6_k:
      decode_k6(row + index / 8 * 210, j, out);
      break;
    case Type::q3_k:
      decode_k3(row + index / 8 * 110, j, out);
      break;
    case Type::q2_k:
      decode_k2(row + index / 8 * 84, j, out);
      break;
    case Type::iq4_nl: {
      const std::uint8_t* block = row + index * 18;
      set_own_scale(block, nullptr, out);
      decode_nibbles(block + 2, out.codes);
      break;
    }
    case Type::iq4_xs:
      decode_iq4_xs(row + index / 8 * 136, j, out);
      break;
    case Type::mxfp4:
      decode_mxfp4(row + index * 17, out);
      break;
    default: {  // q8_0
      const std::uint8_t* block = row + index * 34;
      set_own_scale(block, nullptr, out);
      for (int i = 0; i < 32; ++i) out.codes[i] = block[2 + i] ^ 0x80;
    }
  }
}

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  std::uint32_t exponent = (half >> 10) & 31;
  std::uint32_t mantissa = half & 0x3ff;
  std::uint32_t bits;
  if (exponent == 31) {
    bits = sign | 0x7f800000u | (mantissa << 13);
    if (mantissa) bits |= 0x400000u;  // a signalling NaN becomes quiet, as the hardware conversion does
  } else if (exponent == 0 && mantissa == 0) {
    bits = sign;
  } else {
    if (exponent == 0) {  // subnormal: move the leading one to its place
      exponent = 1;
      while (!(mantissa & 0x400)) {
        mantissa <<= 1;
        --exponent;  // wraps below zero; the bias below brings it back
      }
      mantissa &= 0x3ff;
    }
    bits = sign | ((exponent + 112u) << 23) | (mantissa << 13);
  }
  float out;
  std::memcpy(&out, &bits, sizeof(out));
  return out;
}

std::uint16_t float_to_half(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00 | ((magnitude >> 13) & 0x3ff));  // NaN, made quiet
  if (magnitude >= 0x477ff000u) return sign | 0x7c00;                                                           // 65520 and above round to infinity
  if (magnitude < 0x33000000u) return sign;  // below half of the smallest subnormal
  std::uint32_t kept, rest, half_way;
  if (magnitude < 0x38800000u) {  // subnormal result: the implicit one becomes explicit and moves right
    const std::uint32_t shift = 126 - (magnitude >> 23);
    const std::uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    kept = mantissa >> shift;
    rest = mantissa & ((1u << shift) - 1);
    half_way = 1u << (shift - 1);
  } else {
    kept = (magnitude - 0x38000000u) >> 13;
    rest = magnitude & 0x1fff;
    half_way = 0x1000;
  }
  if (rest > half_way || (rest == half_way && (kept & 1))) ++kept;
  return static_cast<std::uint16_t>(sign | kept);
}

void reference_dequantize_row(Type type, const void* gguf_row, float* out, std::int64_t n) {
  const auto* row = static_cast<const std::uint8_t*>(gguf_row);
  if (type == Type::f32) {
    std::memcpy(out, row, static_cast<std::size_t>(n) * sizeof(float));
  } else if (type == Type::f16) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = read_half(row + 2 * i);
  } else if (type == Type::bf16) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = bfloat_to_float(read_u16(row + 2 * i));
  } else {
    const QuantTraits traits = quant_traits(type);
    WeightBlock block;
    for (std::int64_t b = 0; b < n / kBlock; ++b) {
      decode_block(type, row, b, block);
      for (int i = 0; i < 32; ++i) out[b * 32 + i] = block.scale[i / 16] * static_cast<float>(traits.value(block.codes[i])) + block.minimum[i / 16];
    }
  }
}

}  // namespace codicil::kernels
