// Quantized matmul with AMX tiles: 16 tokens x 16 rows x 32 columns per TDPBSSD, scales by AVX-512.
//
// Owns: matmul of quantized weights for the amx table, for whole groups of 16 tokens; the rest goes to quant_avx512.cc.
// A packed code vector is a row of the tile that the instruction wants ([k / 4][16 rows][4]), and a group of activation blocks is the
// other operand with a stride of one block, so nothing is rearranged. Codes are unpacked once per chunk of rows and columns to signed
// bytes on the stack; partial sums of a chunk of columns wait in `out`, which keeps the order of additions of reference/matmul.cc.
// The file is compiled with the flags of AVX-512; the tile instructions are switched on here.
#ifndef __clang__
#pragma GCC target("amx-tile,amx-int8")
#endif
#include "kernels/cpu/codes_avx512.h"
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("amx-tile,amx-int8"))), apply_to = function)
#endif

namespace codicil::kernels {
namespace {

constexpr std::int64_t kChunkBlocks = 16;  // 512 columns: 32 tokens of activations are 24 KiB, half of a first-level cache
constexpr std::int64_t kChunkGroups = 8;   // 128 rows: 64 KiB of codes stay in the second-level cache
constexpr std::int64_t kTokenTiles = 2;    // groups of 16 tokens that use the codes of a row group while they are near

struct Chunk {
  alignas(64) std::int8_t codes[kChunkGroups][kChunkBlocks][512];  // [group][block][8][16 rows][4]
  alignas(64) float scale[kChunkGroups][kChunkBlocks][16];
  alignas(64) float second[kChunkGroups][kChunkBlocks][16];
};

struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

// The compiler's tile intrinsics do not say that they read memory (GCC 12), so what was written before them is made final here.
[[gnu::always_inline]] inline void finish_writes(const void* written) { __asm__ volatile("" : : "r"(written) : "memory"); }

// Tiles 0, 1: sums [16 tokens][16 rows] int32. Tiles 2, 3: activations [16 tokens][32 columns]. Tiles 4, 5: codes [8][16 rows][4].
void configure() {
  TileConfig config;
  for (int i = 0; i < 6; ++i) {
    config.rows[i] = i < 4 ? 16 : kBlock / 4;
    config.row_bytes[i] = i == 2 || i == 3 ? kBlock : 64;
  }
  finish_writes(&config);
  _tile_loadconfig(&config);
}

template <Format F>
void unpack(const Weights& w, const PackedLayout& layout, std::int64_t group, std::int64_t groups, std::int64_t block, std::int64_t blocks,
            Chunk& chunk) {
  const __m512i offset = _mm512_set1_epi8(static_cast<char>(F.minima ? 0 : F.table != Table::none ? 128 : 1 << (F.bits - 1)));
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::uint8_t* from = static_cast<const std::uint8_t*>(w.data) + (group + g) * layout.group_bytes;
    for (std::int64_t b = 0; b < blocks; ++b) {
      __m512i codes[8];
      load_codes<F>(from + layout.group_metadata + (block + b) * layout.block_codes, codes);
#pragma GCC unroll 8
      for (int v = 0; v < 8; ++v) _mm512_store_si512(chunk.codes[g][b] + 64 * v, _mm512_sub_epi8(codes[v], offset));
      const Scales s = load_scales<F>(from, block + b);
      _mm512_store_ps(chunk.scale[g][b], s.scale);
      if constexpr (F.minima) _mm512_store_ps(chunk.second[g][b], s.second);
    }
  }
}

// sum[t] += the 16 integer sums of token t times its scale times the scales of 16 rows.
[[gnu::always_inline]] inline void add_scaled(const std::int32_t* dots, __m512 scale, const ActivationBlock* x, __m512 (&sum)[16]) {
#pragma GCC unroll 16
  for (int t = 0; t < 16; ++t)
    sum[t] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(_mm512_load_si512(dots + 16 * t)), _mm512_mul_ps(scale, _mm512_set1_ps(x[t].scale)), sum[t]);
}

template <Format F>
[[gnu::always_inline]] inline void add_minima(const float* second, const ActivationBlock* x, __m512 (&sum)[16]) {
  if constexpr (F.minima) {
    const __m512 minimum = _mm512_load_ps(second);
#pragma GCC unroll 16
    for (int t = 0; t < 16; ++t) {
      const __m512 value = _mm512_set1_ps(x[t].scaled_sum);
      sum[t] = F.super ? _mm512_fnmadd_ps(minimum, value, sum[t]) : _mm512_fmadd_ps(minimum, value, sum[t]);
    }
  }
}

// 16 tokens x one group of 16 rows x `blocks` blocks of 32 columns. Two tiles of sums alternate, so that one is multiplied while the
// other is scaled.
template <Format F>
void multiply_tile(const std::int8_t (*codes)[512], const float (*scale)[16], const float (*second)[16], std::int64_t blocks,
                   const ActivationBlock* x, float* out, std::int64_t out_stride, __mmask16 rows, bool fresh) {
  alignas(64) std::int32_t dots[2][256];
  constexpr int kStride = sizeof(ActivationBlock);
  __m512 sum[16];
#pragma GCC unroll 16
  for (int t = 0; t < 16; ++t) sum[t] = fresh ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(rows, out + t * out_stride);
  std::int64_t b = 0;
  for (; b + 2 <= blocks; b += 2, x += 2 * kTokenGroup) {
    _tile_loadd(2, x->q, kStride);
    _tile_loadd(4, codes[b], 64);
    _tile_zero(0);
    _tile_dpbssd(0, 2, 4);
    _tile_loadd(3, x[kTokenGroup].q, kStride);
    _tile_loadd(5, codes[b + 1], 64);
    _tile_zero(1);
    _tile_dpbssd(1, 3, 5);
    _tile_stored(0, dots[0], 64);
    _tile_stored(1, dots[1], 64);
    add_scaled(dots[0], _mm512_load_ps(scale[b]), x, sum);
    add_minima<F>(second[b], x, sum);
    add_scaled(dots[1], _mm512_load_ps(scale[b + 1]), x + kTokenGroup, sum);
    add_minima<F>(second[b + 1], x + kTokenGroup, sum);
  }
  if (b < blocks) {
    _tile_loadd(2, x->q, kStride);
    _tile_loadd(4, codes[b], 64);
    _tile_zero(0);
    _tile_dpbssd(0, 2, 4);
    _tile_stored(0, dots[0], 64);
    add_scaled(dots[0], _mm512_load_ps(scale[b]), x, sum);
    add_minima<F>(second[b], x, sum);
  }
#pragma GCC unroll 16
  for (int t = 0; t < 16; ++t) _mm512_mask_storeu_ps(out + t * out_stride, rows, sum[t]);
}

template <Format F>
void multiply(const Weights& w, const Activations& x, std::int64_t tokens, float* out, std::int64_t out_stride, std::int64_t begin,
              std::int64_t end) {
  const PackedLayout layout = packed_layout(w.type, w.cols);
  const std::int64_t all_blocks = w.cols / kBlock;
  Chunk chunk;
  configure();
  for (std::int64_t group = begin; group < end; group += kChunkGroups) {
    const std::int64_t groups = end - group < kChunkGroups ? end - group : kChunkGroups;
    for (std::int64_t block = 0; block < all_blocks; block += kChunkBlocks) {
      const std::int64_t blocks = all_blocks - block < kChunkBlocks ? all_blocks - block : kChunkBlocks;
      unpack<F>(w, layout, group, groups, block, blocks, chunk);
      finish_writes(&chunk);
      for (std::int64_t first = 0; first < tokens; first += kTokenTiles * kTokenGroup) {
        const std::int64_t last = first + kTokenTiles * kTokenGroup < tokens ? first + kTokenTiles * kTokenGroup : tokens;
        for (std::int64_t g = 0; g < groups; ++g) {
          const std::int64_t row = (group + g) * kGroupRows, left = w.rows - row;
          const auto rows = static_cast<__mmask16>(left >= kGroupRows ? 0xffff : (1 << left) - 1);
          for (std::int64_t t = first; t < last; t += kTokenGroup) {
            const ActivationBlock* blocks_of_group = static_cast<const ActivationBlock*>(x.data) + t * all_blocks + block * kTokenGroup;
            multiply_tile<F>(chunk.codes[g], chunk.scale[g], chunk.second[g], blocks, blocks_of_group, out + t * out_stride + row, out_stride, rows,
                             block == 0);
          }
        }
      }
    }
  }
  _tile_release();
}

}  // namespace

void amx_matmul_quantized(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end) {
  // Types with 16-wide scales fill half of a tile and scale twice: 118 GMAC/s against 137 without tiles (q6_K, 4864 x 1024, 512
  // tokens, one core of a Sapphire Rapids Xeon), so they stay with VNNI.
  const std::int64_t tokens = quant_traits(w.type).halves ? 0 : x.tokens / kTokenGroup * kTokenGroup;
  if (tokens > 0) {
    const std::int64_t begin = row_begin / kGroupRows, end = (row_end + kGroupRows - 1) / kGroupRows;
    with_format(w.type, [&]<Format F>() {
      if constexpr (!F.halves) multiply<F>(w, x, tokens, out, out_stride, begin, end);
    });
  }
  if (tokens < x.tokens) avx512_matmul_quantized(w, x, tokens, out, out_stride, row_begin, row_end);
}

}  // namespace codicil::kernels
#ifdef __clang__
#pragma clang attribute pop
#endif
