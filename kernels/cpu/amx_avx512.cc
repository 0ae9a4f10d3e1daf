// Quantized matmul with AMX tiles: 16 tokens x 16 rows x 32 columns per TDPBSSD, scales by AVX-512.
//
// Owns: matmul of quantized weights for the amx table, for whole groups of 16 tokens; the rest goes to quant_avx512.cc.
// A packed code vector is a row of the tile that the instruction wants ([k / 4][16 rows][4]), and a group of activation blocks is the
// other operand with a stride of one block, so nothing is rearranged. The codes of one row group are unpacked to signed bytes on the stack, then
// all tokens pass by: 64 tokens 268 GMAC/s; with 2 row groups at a time 250, with 8 232 (q4_0, one core of a Xeon), because what is
// unpacked leaves the first-level cache. Partial sums wait in `out`, which keeps the order of additions of reference/matmul.cc.
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

constexpr std::int64_t kPartBlocks = 24;  // 768 columns: their codes are 12 KiB of a first-level cache

// Part of a row group, unpacked.
struct Part {
  alignas(64) std::int8_t codes[kPartBlocks][512];  // [block][8][16 rows][4]
  alignas(64) float scale[kPartBlocks][16];
  alignas(64) float second[kPartBlocks][16];
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
[[gnu::always_inline]] inline void unpack(const std::uint8_t* group, const PackedLayout& layout, std::int64_t first, std::int64_t blocks,
                                          Part& part) {
  const __m512i offset = _mm512_set1_epi8(static_cast<char>(F.minima ? 0 : F.table != Table::none ? 128 : 1 << (F.bits - 1)));
  for (std::int64_t b = 0; b < blocks; ++b) {
    __m512i codes[8];
    load_codes<F>(group + layout.group_metadata + (first + b) * layout.block_codes, codes);
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v) _mm512_store_si512(part.codes[b] + 64 * v, _mm512_sub_epi8(codes[v], offset));
    const Scales s = load_scales<F>(group, first + b);
    _mm512_store_ps(part.scale[b], s.scale);
    if constexpr (F.minima) _mm512_store_ps(part.second[b], s.second);
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

// dots = the integer products of 16 tokens with one block of 16 rows. Slot 0 and slot 1 use tiles of their own.
template <int Slot>
[[gnu::always_inline]] inline void multiply_block(const ActivationBlock* x, const std::int8_t* codes, std::int32_t* dots) {
  constexpr int kStride = sizeof(ActivationBlock);
  if constexpr (Slot == 0) {  // the intrinsics are macros that want digits
    _tile_loadd(2, x->q, kStride);
    _tile_loadd(4, codes, 64);
    _tile_zero(0);
    _tile_dpbssd(0, 2, 4);
    _tile_stored(0, dots, 64);
  } else {
    _tile_loadd(3, x->q, kStride);
    _tile_loadd(5, codes, 64);
    _tile_zero(1);
    _tile_dpbssd(1, 3, 5);
    _tile_stored(1, dots, 64);
  }
  finish_writes(dots);
}

// 16 tokens x one group of 16 rows x `blocks` blocks of 32 columns. The products of a block are made before those of the last are scaled: a vector
// load right behind a tile store would wait for it. Meanwhile a line of `ahead` is fetched for every block.
template <Format F>
void multiply_tile(const Part& part, std::int64_t blocks, const ActivationBlock* x, float* out, std::int64_t out_stride, __mmask16 rows, bool fresh,
                   const std::uint8_t* ahead) {
  alignas(64) std::int32_t dots[2][256];
  __m512 sum[16];
#pragma GCC unroll 16
  for (int t = 0; t < 16; ++t) sum[t] = fresh ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(rows, out + t * out_stride);
  multiply_block<0>(x, part.codes[0], dots[0]);
  std::int64_t b = 0;
  for (; b + 2 <= blocks; b += 2, x += 2 * kTokenGroup) {
    multiply_block<1>(x + kTokenGroup, part.codes[b + 1], dots[1]);
    _mm_prefetch(ahead + b * 64, _MM_HINT_T1);
    add_scaled(dots[0], _mm512_load_ps(part.scale[b]), x, sum);
    add_minima<F>(part.second[b], x, sum);
    if (b + 2 < blocks) multiply_block<0>(x + 2 * kTokenGroup, part.codes[b + 2], dots[0]);
    _mm_prefetch(ahead + b * 64 + 64, _MM_HINT_T1);
    add_scaled(dots[1], _mm512_load_ps(part.scale[b + 1]), x + kTokenGroup, sum);
    add_minima<F>(part.second[b + 1], x + kTokenGroup, sum);
  }
  if (b < blocks) {
    add_scaled(dots[0], _mm512_load_ps(part.scale[b]), x, sum);
    add_minima<F>(part.second[b], x, sum);
  }
#pragma GCC unroll 16
  for (int t = 0; t < 16; ++t) _mm512_mask_storeu_ps(out + t * out_stride, rows, sum[t]);
}

template <Format F>
void multiply(const Weights& w, const Activations& x, std::int64_t tokens, float* out, std::int64_t out_stride, std::int64_t begin,
              std::int64_t end) {
  const PackedLayout layout = packed_layout(w.type, w.cols);
  const std::int64_t all_blocks = w.cols / kBlock, parts = (all_blocks + kPartBlocks - 1) / kPartBlocks;
  const std::int64_t part_blocks = (all_blocks + parts - 1) / parts;
  Part part;
  configure();
  for (std::int64_t g = begin; g < end; ++g) {
    const std::uint8_t* group = static_cast<const std::uint8_t*>(w.data) + g * layout.group_bytes;
    const std::int64_t row = g * kGroupRows, left = w.rows - row;
    const auto rows = static_cast<__mmask16>(left >= kGroupRows ? 0xffff : (1 << left) - 1);
    for (std::int64_t first = 0; first < all_blocks; first += part_blocks) {
      const std::int64_t blocks = all_blocks - first < part_blocks ? all_blocks - first : part_blocks;
      unpack<F>(group, layout, first, blocks, part);
      finish_writes(&part);
      const std::uint8_t* ahead = group + layout.group_bytes;  // the next row group
      for (std::int64_t t = 0; t < tokens; t += kTokenGroup, ahead += blocks * 64) {
        const ActivationBlock* from = static_cast<const ActivationBlock*>(x.data) + t * all_blocks + first * kTokenGroup;
        multiply_tile<F>(part, blocks, from, out + t * out_stride + row, out_stride, rows, first == 0, ahead);
      }
    }
  }
  _tile_release();
}

}  // namespace

void amx_matmul_quantized(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end) {
  // Types with 16-wide scales fill half of a tile and scale twice: 118 GMAC/s against 137 without tiles (q6_K, 4864 x 1024, 512
  // tokens, one core of a Sapphire Rapids Xeon), so they stay with VNNI.
  // 16 tokens alone do not pay for the unpacking: 11.2 ms for the Reader's layers against 10.2.
  const std::int64_t tokens = quant_traits(w.type).halves || x.tokens < 2 * kTokenGroup ? 0 : x.tokens / kTokenGroup * kTokenGroup;
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
