// Quantized matmul with AVX-512 VNNI: one zmm accumulates 16 rows x 4 columns per VPDPBUSD, activations are broadcast from memory.
//
// Owns: prepare and matmul of quantized weights for the avx512 table. Layouts are in packed.h.
// Rules that must stay true: codes stay unsigned (0..255) and the offset enters as the integer bias of the activation block, so a
// block's sum is exact; f32 multiply-adds follow the order of reference/matmul.cc, so the bits are the same for any number of
// tokens. No std templates here: a shared inline function compiled for AVX-512 could be chosen by the linker for every machine.
#include "kernels/cpu/codes_avx512.h"

namespace codicil::kernels {
namespace {

[[gnu::always_inline]] inline __m512i broadcast4(const std::int8_t* q) {
  std::int32_t word;
  __builtin_memcpy(&word, q, 4);
  return _mm512_set1_epi32(word);
}

// Weights are read once, in order: their lines are asked for before the processor's own prefetcher, which stops at every 4 KiB, sees them.
// 4 KiB ahead is what the second-level cache can wait for: decode of the Reader, one core of a Xeon, 6.8 ms without, 5.5 with 2, 4 or 8 KiB.
constexpr std::int64_t kAheadBytes = 4096;
template <Format F>
[[gnu::always_inline]] inline void fetch_ahead(const std::uint8_t* group, const std::uint8_t* codes, std::int64_t b) {
  constexpr int kLines = (F.bits == 8 ? 512 : 256 + (F.bits == 5 ? 64 : F.bits == 6 ? 128 : 0)) / 64;
#pragma GCC unroll 8
  for (int i = 0; i < kLines; ++i) _mm_prefetch(codes + kAheadBytes + 64 * i, _MM_HINT_T1);
  _mm_prefetch(group + b * 32 + kAheadBytes, _MM_HINT_T1);  // metadata of a group to come is among them
}

// One group of 16 rows times T tokens whose blocks lie `width` apart.
template <Format F, int T>
[[gnu::always_inline]] inline void tile(const std::uint8_t* group, const std::uint8_t* codes, std::int64_t code_stride, std::int64_t blocks,
                                        const ActivationBlock* x, std::int64_t width, float* out, std::int64_t out_stride, __mmask16 rows) {
  __m512 sum[T];
#pragma GCC unroll 16
  for (int t = 0; t < T; ++t) sum[t] = _mm512_setzero_ps();
  for (std::int64_t b = 0; b < blocks; ++b, x += width, codes += code_stride) {
    fetch_ahead<F>(group, codes, b);
    __m512i w[8];
    load_codes<F>(codes, w);
    const Scales s = load_scales<F>(group, b);
#pragma GCC unroll 16
    for (int t = 0; t < T; ++t) {
      const __m512 scale = _mm512_set1_ps(x[t].scale);
      __m512i dot = _mm512_set1_epi32(x[t].bias[0]);
#pragma GCC unroll 8
      for (int v = 0; v < (F.halves ? 4 : 8); ++v) dot = _mm512_dpbusd_epi32(dot, w[v], broadcast4(x[t].q + 4 * v));
      sum[t] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot), _mm512_mul_ps(s.scale, scale), sum[t]);
      if constexpr (F.halves) {
        dot = _mm512_set1_epi32(x[t].bias[1]);
#pragma GCC unroll 4
        for (int v = 4; v < 8; ++v) dot = _mm512_dpbusd_epi32(dot, w[v], broadcast4(x[t].q + 4 * v));
        sum[t] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot), _mm512_mul_ps(s.second, scale), sum[t]);
      }
      if constexpr (F.minima && F.super) sum[t] = _mm512_fnmadd_ps(s.second, _mm512_set1_ps(x[t].scaled_sum), sum[t]);
      if constexpr (F.minima && !F.super) sum[t] = _mm512_fmadd_ps(s.second, _mm512_set1_ps(x[t].scaled_sum), sum[t]);
    }
  }
#pragma GCC unroll 16
  for (int t = 0; t < T; ++t) _mm512_mask_storeu_ps(out + t * out_stride, rows, sum[t]);
}

// Row groups [begin, end) times T tokens.
template <Format F, int T>
void panel(const Weights& w, const PackedLayout& layout, const ActivationBlock* x, std::int64_t width, float* out, std::int64_t out_stride,
           std::int64_t begin, std::int64_t end) {
  for (std::int64_t g = begin; g < end; ++g) {
    const std::uint8_t* group = static_cast<const std::uint8_t*>(w.data) + g * layout.group_bytes;
    const std::int64_t left = w.rows - g * kGroupRows;
    const auto rows = static_cast<__mmask16>(left >= kGroupRows ? 0xffff : (1 << left) - 1);
    tile<F, T>(group, group + layout.group_metadata, layout.block_codes, w.cols / kBlock, x, width, out + g * kGroupRows, out_stride, rows);
  }
}

template <Format F>
void token_group(const Weights& w, const PackedLayout& layout, const ActivationBlock* x, std::int64_t width, float* out, std::int64_t out_stride,
                 std::int64_t begin, std::int64_t end) {
  const auto run = [&](auto panel_of, std::int64_t t) { panel_of(w, layout, x + t, width, out + t * out_stride, out_stride, begin, end); };
  std::int64_t t = 0;
  if (width == 16) return run(panel<F, 16>, 0);
  for (; t + 8 <= width; t += 8) run(panel<F, 8>, t);
  switch (width - t) {
    case 1:
      return run(panel<F, 1>, t);
    case 2:
      return run(panel<F, 2>, t);
    case 3:
      return run(panel<F, 3>, t);
    case 4:
      return run(panel<F, 4>, t);
    case 5:
      return run(panel<F, 5>, t);
    case 6:
      return run(panel<F, 6>, t);
    case 7:
      return run(panel<F, 7>, t);
    default:
      return;
  }
}

template <Format F>
void multiply(const Weights& w, const Activations& x, std::int64_t first_token, float* out, std::int64_t out_stride, std::int64_t row_begin,
              std::int64_t row_end) {
  const PackedLayout layout = packed_layout(w.type, w.cols);
  const std::int64_t end = (row_end + kGroupRows - 1) / kGroupRows;
  // Rows whose weights stay in a second-level cache of 1 MiB or more while all tokens pass by.
  const std::int64_t fitting = (512 << 10) / layout.group_bytes;
  const std::int64_t chunk = x.tokens - first_token <= kTokenGroup ? end : fitting < 1 ? 1 : fitting;
  for (std::int64_t first = row_begin / kGroupRows; first < end; first += chunk) {
    const std::int64_t last = first + chunk < end ? first + chunk : end;
    for (std::int64_t t = first_token; t < x.tokens; t += kTokenGroup) {
      const TokenBlocks at = token_blocks(t, x.tokens, w.cols);
      token_group<F>(w, layout, static_cast<const ActivationBlock*>(x.data) + at.first, at.width, out + t * out_stride, out_stride, first, last);
    }
  }
}

void quantize_block(const QuantTraits& traits, const float* x, ActivationBlock& out) {
  const __m512 a = _mm512_loadu_ps(x), b = _mm512_loadu_ps(x + 16);
  const float largest = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(a), _mm512_abs_ps(b)));
  const bool empty = !(largest > 1e-35f);  // as in reference/matmul.cc
  const __m512 inverse = _mm512_set1_ps(empty ? 0.0f : 127.0f / largest);
  const __m512i qa = _mm512_cvtps_epi32(_mm512_mul_ps(a, inverse)), qb = _mm512_cvtps_epi32(_mm512_mul_ps(b, inverse));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out.q), _mm512_cvtsepi32_epi8(qa));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out.q + 16), _mm512_cvtsepi32_epi8(qb));
  const std::int32_t sum = _mm512_reduce_add_epi32(_mm512_add_epi32(qa, qb));
  out.scale = empty ? 0.0f : largest / 127.0f;
  if (traits.halves) {
    const std::int32_t first = _mm512_reduce_add_epi32(qa);
    out.bias[0] = -traits.offset * first;
    out.bias[1] = -traits.offset * (sum - first);
  } else {
    out.bias[0] = -traits.offset * sum;
    out.bias[1] = 0;
  }
  out.scaled_sum = out.scale * static_cast<float>(sum);
}

}  // namespace

void avx512_prepare_quantized(Type type, const float* x, std::int64_t x_stride, const Activations& out, std::int64_t begin, std::int64_t end) {
  const QuantTraits traits = quant_traits(type);
  for (std::int64_t t = begin; t < end; ++t) {
    const TokenBlocks at = token_blocks(t, out.tokens, out.cols);
    ActivationBlock* blocks = static_cast<ActivationBlock*>(out.data) + at.first;
    for (std::int64_t b = 0; b < out.cols / kBlock; ++b) quantize_block(traits, x + t * x_stride + b * kBlock, blocks[b * at.width]);
  }
}

void avx512_matmul_quantized(const Weights& w, const Activations& x, std::int64_t first_token, float* out, std::int64_t out_stride,
                             std::int64_t row_begin, std::int64_t row_end) {
  with_format(w.type, [&]<Format F>() { multiply<F>(w, x, first_token, out, out_stride, row_begin, row_end); });
}

}  // namespace codicil::kernels
