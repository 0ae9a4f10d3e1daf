// The packed weights that the avx2 and avx512 tables share: rows in groups of 16, so that one vector holds the same columns of 16 rows.
//
// Quantized types. A group of 16 rows is: metadata of all blocks of 32 columns, padded to 64 bytes; then the codes of all blocks.
//   metadata of one block   d f16[16], with minima also m f16[16];
//   ... of a K superblock   d f16[16], with minima also dmin f16[16]; then 8 x (scale int8[16], minimum or second scale int8[16])
//   codes of one block      4-bit part [4][16 rows][4 bytes]: byte i of vector v holds column 4v+i (low nibble) and 16+4v+i (high);
//                           5 bits: and 8 x u64, bit n of word v is the fifth bit of byte n of code vector v;
//                           6 bits: and [2][16][4 bytes], two bits each of code vectors 4h, 4h+1, 4h+2, 4h+3 (low bits first);
//                           8 bits: [8][16 rows][4 bytes] instead. Code vector v holds columns 4v..4v+3 of 16 rows.
// Float types: [cols][16 rows]. Missing rows of the last group are zero.
// Activations: tokens in groups of 16 (the last one narrower): [group][block][token of group] ActivationBlock; float: [tokens][cols] f32.
#pragma once

#include "kernels/reference/formats.h"

namespace codicil::kernels {

constexpr std::int64_t kGroupRows = 16;   // f32 lanes of a zmm, two ymm
constexpr std::int64_t kTokenGroup = 16;  // as many accumulators as fit in 32 registers beside 8 vectors of codes

struct PackedLayout {
  std::int64_t block_metadata;  // bytes per block of 32 columns
  std::int64_t super_metadata;  // bytes in front of the metadata of 8 blocks; 0 unless K type
  std::int64_t block_codes;     // bytes per block
  std::int64_t group_metadata;  // bytes per group, padded
  std::int64_t group_bytes;
};

PackedLayout packed_layout(Type type, std::int64_t cols);  // quantized types
std::size_t cpu_packed_bytes(Type type, std::int64_t rows, std::int64_t cols);
void cpu_pack(Type type, const void* gguf, std::int64_t rows, std::int64_t cols, void* packed, std::int64_t begin, std::int64_t end);

// The activation blocks of one token: block b lies at first + b * width.
struct TokenBlocks {
  std::int64_t first;  // index of block 0
  std::int64_t width;  // tokens in its group
};
inline TokenBlocks token_blocks(std::int64_t token, std::int64_t tokens, std::int64_t cols) {
  const std::int64_t group = token / kTokenGroup, begin = group * kTokenGroup;
  const std::int64_t width = tokens - begin < kTokenGroup ? tokens - begin : kTokenGroup;
  return {begin * (cols / kBlock) + token % kTokenGroup, width};
}

}  // namespace codicil::kernels
