// Packing of GGUF rows into the layout of packed.h. Runs once per model load; plain C++ for every machine.
#include "kernels/cpu/packed.h"

namespace codicil::kernels {
namespace {

void put_u16(std::uint8_t* out, std::uint16_t value) { std::memcpy(out, &value, sizeof(value)); }

// Metadata of block b for lane (row of the group) `lane`.
void put_metadata(const QuantTraits& traits, const PackedLayout& layout, std::uint8_t* group, std::int64_t b, std::int64_t lane,
                  const WeightBlock& w) {
  if (!traits.superblocks) {
    std::uint8_t* metadata = group + b * layout.block_metadata;
    put_u16(metadata + 2 * lane, w.factor_half);
    if (traits.minima) put_u16(metadata + 32 + 2 * lane, w.minimum_factor_half);
    return;
  }
  std::uint8_t* super = group + b / 8 * (layout.super_metadata + 8 * layout.block_metadata);
  put_u16(super + 2 * lane, w.factor_half);
  if (traits.minima) put_u16(super + 32 + 2 * lane, w.minimum_factor_half);
  std::uint8_t* scales = super + layout.super_metadata + b % 8 * layout.block_metadata;
  scales[lane] = static_cast<std::uint8_t>(w.raw_scale[0]);
  scales[16 + lane] = static_cast<std::uint8_t>(traits.minima ? w.raw_minimum : w.raw_scale[1]);
}

// The place of lane and column within a code vector of 64 bytes is lane * 4 + column % 4.
void put_codes(const QuantTraits& traits, std::uint8_t* out, std::int64_t lane, const std::uint8_t* codes) {
  if (traits.code_bits == 8) {
    for (int v = 0; v < 8; ++v) std::memcpy(out + v * 64 + lane * 4, codes + v * 4, 4);
    return;
  }
  for (int v = 0; v < 4; ++v)
    for (int i = 0; i < 4; ++i) out[v * 64 + lane * 4 + i] = static_cast<std::uint8_t>((codes[4 * v + i] & 15) | (codes[16 + 4 * v + i] << 4));
  std::uint8_t* high = out + 256;
  for (int v = 0; v < 8 && traits.code_bits > 4; ++v)
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::int64_t place = lane * 4 + i;
      const int top = codes[4 * v + i] >> 4;
      if (traits.code_bits == 5) {
        high[v * 8 + place / 8] |= static_cast<std::uint8_t>(top << (place % 8));
      } else {
        high[v / 4 * 64 + place] |= static_cast<std::uint8_t>(top << (2 * (v % 4)));
      }
    }
}

// q4_0 and q8_0, the types of the default model, without decoding: their bytes are already in the order that a lane wants.
bool pack_directly(Type type, const std::uint8_t* row, std::int64_t blocks, const PackedLayout& layout, std::uint8_t* group, std::int64_t lane) {
  if (type != Type::q4_0 && type != Type::q8_0) return false;
  const int vectors = type == Type::q4_0 ? 4 : 8;
  const std::uint32_t flip = type == Type::q4_0 ? 0 : 0x80808080u;  // int8 -> 0..255
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::uint8_t* block = row + b * (2 + vectors * 4);
    std::memcpy(group + b * layout.block_metadata + 2 * lane, block, 2);
    std::uint8_t* codes = group + layout.group_metadata + b * layout.block_codes + lane * 4;
    for (int v = 0; v < vectors; ++v) {
      std::uint32_t word;
      std::memcpy(&word, block + 2 + v * 4, 4);
      word ^= flip;
      std::memcpy(codes + v * 64, &word, 4);
    }
  }
  return true;
}

void pack_quantized(Type type, const std::uint8_t* gguf, std::int64_t rows, std::int64_t cols, std::uint8_t* packed, std::int64_t begin,
                    std::int64_t end) {
  const PackedLayout layout = packed_layout(type, cols);
  const QuantTraits traits = quant_traits(type);
  const std::int64_t stride = row_bytes(type, cols), blocks = cols / kBlock;
  for (std::int64_t first = begin; first < end; first += kGroupRows) {
    std::uint8_t* group = packed + first / kGroupRows * layout.group_bytes;
    std::memset(group, 0, static_cast<std::size_t>(layout.group_bytes));
    for (std::int64_t lane = 0; lane < kGroupRows && first + lane < rows; ++lane) {
      const std::uint8_t* row = gguf + (first + lane) * stride;
      if (pack_directly(type, row, blocks, layout, group, lane)) continue;
      WeightBlock w;
      for (std::int64_t b = 0; b < blocks; ++b) {
        decode_block(type, row, b, w);
        put_metadata(traits, layout, group, b, lane, w);
        put_codes(traits, group + layout.group_metadata + b * layout.block_codes, lane, w.codes);
      }
    }
  }
}

void pack_float(std::int64_t bytes, const std::uint8_t* gguf, std::int64_t rows, std::int64_t cols, std::uint8_t* packed, std::int64_t begin,
                std::int64_t end) {
  for (std::int64_t first = begin; first < end; first += kGroupRows) {
    std::uint8_t* group = packed + first * cols * bytes;
    std::memset(group, 0, static_cast<std::size_t>(kGroupRows * cols * bytes));
    for (std::int64_t lane = 0; lane < kGroupRows && first + lane < rows; ++lane)
      for (std::int64_t c = 0; c < cols; ++c)
        std::memcpy(group + (c * kGroupRows + lane) * bytes, gguf + ((first + lane) * cols + c) * bytes, static_cast<std::size_t>(bytes));
  }
}

}  // namespace

PackedLayout packed_layout(Type type, std::int64_t cols) {
  const QuantTraits traits = quant_traits(type);
  const std::int64_t blocks = cols / kBlock;
  PackedLayout layout{};
  layout.block_metadata = traits.minima && !traits.superblocks ? 64 : 32;
  layout.super_metadata = traits.superblocks ? (traits.minima ? 64 : 32) : 0;
  layout.block_codes = traits.code_bits == 8 ? 512 : 256 + (traits.code_bits == 5 ? 64 : traits.code_bits == 6 ? 128 : 0);
  layout.group_metadata = (blocks * layout.block_metadata + blocks / 8 * layout.super_metadata + 63) / 64 * 64;
  layout.group_bytes = layout.group_metadata + blocks * layout.block_codes;
  return layout;
}

std::size_t cpu_packed_bytes(Type type, std::int64_t rows, std::int64_t cols) {
  const std::int64_t groups = (rows + kGroupRows - 1) / kGroupRows;
  if (is_float(type)) return static_cast<std::size_t>(groups * kGroupRows * row_bytes(type, cols));
  // q2_K has two minima in 32 columns, which no layout here holds: the reference computes it.
  if (!is_quantized(type) || type == Type::q2_k) return 0;
  return static_cast<std::size_t>(groups * packed_layout(type, cols).group_bytes);
}

void cpu_pack(Type type, const void* gguf, std::int64_t rows, std::int64_t cols, void* packed, std::int64_t begin, std::int64_t end) {
  const auto* in = static_cast<const std::uint8_t*>(gguf);
  auto* out = static_cast<std::uint8_t*>(packed);
  if (is_float(type)) {
    pack_float(type == Type::f32 ? 4 : 2, in, rows, cols, out, begin, end);
  } else {
    pack_quantized(type, in, rows, cols, out, begin, end);
  }
}

}  // namespace codicil::kernels
