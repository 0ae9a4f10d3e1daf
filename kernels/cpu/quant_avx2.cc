// Quantized matmul with AVX2: a ymm holds the same 4 columns of 8 rows (half of a packed group), activations are broadcast.
//
// Owns: prepare and matmul of quantized weights for the avx2 table. Layouts are in packed.h.
// Products of codes and activations are added in 16 bits as long as they cannot overflow: |activation| <= 127, so one VPMADDUBSW of
// 4-bit codes is at most 2 * 15 * 127 = 3810 (8 of them fit), of 5-bit codes 7874 (4 fit), of 6-bit codes 16002 (2 fit). 8-bit codes
// go as |w| times the activation with the sign of w: at most 2 * 128 * 127 = 32512.
// Rule that must stay true: a block's sum is exact and f32 multiply-adds follow the order of reference/matmul.cc.
#include "kernels/cpu/avx2.h"
#include "kernels/cpu/packed.h"

namespace codicil::kernels {
namespace {

enum class Table { none, iq4, mxfp4 };
struct Format {
  int bits;
  bool halves, minima, super;
  Table table = Table::none;  // what 4-bit codes stand for
};
constexpr Format kQ40{4, false, false, false}, kQ41{4, false, true, false}, kQ50{5, false, false, false}, kQ51{5, false, true, false};
constexpr Format kQ80{8, false, false, false}, kQ4K{4, false, true, true}, kQ5K{5, false, true, true}, kQ6K{6, true, false, true};
constexpr Format kQ3K{4, true, false, true}, kIq4Nl{4, false, false, false, Table::iq4}, kIq4Xs{4, false, false, true, Table::iq4},
    kMxfp4{4, false, false, false, Table::mxfp4};

[[gnu::always_inline]] inline __m256i load256(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

// Codes of one block for 8 rows: w[v] holds columns 4v..4v+3 as bytes; half = 0 or 1 chooses rows 0..7 or 8..15. 8-bit codes
// and numbers of a table are signed.
template <Format F>
[[gnu::always_inline]] inline void load_codes(const std::uint8_t* codes, int half, __m256i (&w)[8]) {
  const std::uint8_t* mine = codes + 32 * half;
  if constexpr (F.bits == 8) {
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v) w[v] = _mm256_xor_si256(load256(mine + v * 64), _mm256_set1_epi8(-128));
  } else {
    const __m256i low = _mm256_set1_epi8(15);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const __m256i both = load256(mine + v * 64);
      w[v] = _mm256_and_si256(both, low);
      w[v + 4] = _mm256_and_si256(_mm256_srli_epi16(both, 4), low);
    }
  }
  if constexpr (F.table != Table::none) {
    const __m256i numbers =
        _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(F.table == Table::iq4 ? kIq4Values : kMxfp4Values)));
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v) w[v] = _mm256_shuffle_epi8(numbers, w[v]);
  }
  if constexpr (F.bits == 5) {
    const __m256i spread = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ull));
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v) {
      std::int32_t word;
      __builtin_memcpy(&word, codes + 256 + v * 8 + 4 * half, 4);
      const __m256i bytes = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32(word), spread), bit);
      w[v] = _mm256_or_si256(w[v], _mm256_and_si256(_mm256_cmpeq_epi8(bytes, bit), _mm256_set1_epi8(16)));
    }
  }
  if constexpr (F.bits == 6) {
    const __m256i top = _mm256_set1_epi8(0x30);
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      const __m256i bits = load256(mine + 256 + h * 64);
      w[4 * h] = _mm256_or_si256(w[4 * h], _mm256_and_si256(_mm256_slli_epi16(bits, 4), top));
      w[4 * h + 1] = _mm256_or_si256(w[4 * h + 1], _mm256_and_si256(_mm256_slli_epi16(bits, 2), top));
      w[4 * h + 2] = _mm256_or_si256(w[4 * h + 2], _mm256_and_si256(bits, top));
      w[4 * h + 3] = _mm256_or_si256(w[4 * h + 3], _mm256_and_si256(_mm256_srli_epi16(bits, 2), top));
    }
  }
}

struct Scales {
  __m256 scale, second;
};
[[gnu::always_inline]] inline __m256 load_int8(const std::uint8_t* p) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
template <Format F>
[[gnu::always_inline]] inline Scales load_scales(const std::uint8_t* group, std::int64_t b, int half) {
  Scales s;
  if constexpr (!F.super) {
    const std::uint8_t* metadata = group + b * (F.minima ? 64 : 32) + 16 * half;
    s.scale = load_halves(metadata);
    s.second = F.minima ? load_halves(metadata + 32) : _mm256_setzero_ps();
  } else {
    constexpr std::int64_t kFactors = F.minima ? 64 : 32;
    const std::uint8_t* super = group + (b >> 3) * (kFactors + 256);
    const std::uint8_t* scales = super + kFactors + (b & 7) * 32 + 8 * half;
    const __m256 d = load_halves(super + 16 * half);
    s.scale = _mm256_mul_ps(d, load_int8(scales));
    s.second = _mm256_mul_ps(F.minima ? load_halves(super + 32 + 16 * half) : d, load_int8(scales + 16));
  }
  return s;
}

[[gnu::always_inline]] inline __m256i broadcast4(const std::int8_t* q) {
  std::int32_t word;
  __builtin_memcpy(&word, q, 4);
  return _mm256_set1_epi32(word);
}

// bias + sum over code vectors [from, from + count) of codes times activations, exact, for 8 rows.
template <Format F>
[[gnu::always_inline]] inline __m256i dot(const __m256i (&w)[8], const std::int8_t* q, std::int32_t bias, int from, int count) {
  const __m256i ones = _mm256_set1_epi16(1);
  if constexpr (F.bits == 8 || F.table != Table::none) {
    __m256i sum = _mm256_setzero_si256();  // signed codes: no bias
#pragma GCC unroll 8
    for (int v = from; v < from + count; ++v) {
      const __m256i signed_q = _mm256_sign_epi8(broadcast4(q + 4 * v), w[v]);
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_abs_epi8(w[v]), signed_q), ones));
    }
    return sum;
  }
  constexpr int kFit = F.bits == 4 ? (F.halves ? 4 : 8) : F.bits == 5 ? 4 : 2;
  __m256i sum = _mm256_set1_epi32(bias);
#pragma GCC unroll 8
  for (int v = from; v < from + count; v += kFit) {
    __m256i part = _mm256_maddubs_epi16(w[v], broadcast4(q + 4 * v));
#pragma GCC unroll 8
    for (int i = 1; i < kFit; ++i) part = _mm256_add_epi16(part, _mm256_maddubs_epi16(w[v + i], broadcast4(q + 4 * (v + i))));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(part, ones));
  }
  return sum;
}

// Weights are read once, in order: their lines are asked for before the processor's own prefetcher, which stops at every 4 KiB, sees them.
// The distance is that of quant_avx512.cc. The two halves of a group use the same lines, so only the first asks.
constexpr std::int64_t kAheadBytes = 4096;
template <Format F>
[[gnu::always_inline]] inline void fetch_ahead(const std::uint8_t* group, const std::uint8_t* codes, std::int64_t b) {
  constexpr int kLines = (F.bits == 8 ? 512 : 256 + (F.bits == 5 ? 64 : F.bits == 6 ? 128 : 0)) / 64;
#pragma GCC unroll 8
  for (int i = 0; i < kLines; ++i) _mm_prefetch(codes + kAheadBytes + 64 * i, _MM_HINT_T1);
  _mm_prefetch(group + b * 32 + kAheadBytes, _MM_HINT_T1);  // metadata of a group to come is among them
}

template <Format F, int T>
[[gnu::always_inline]] inline void tile(const std::uint8_t* group, const std::uint8_t* codes, std::int64_t code_stride, std::int64_t blocks,
                                        const ActivationBlock* x, std::int64_t width, float* out, std::int64_t out_stride, int half,
                                        std::int64_t rows) {
  __m256 sum[T];
#pragma GCC unroll 8
  for (int t = 0; t < T; ++t) sum[t] = _mm256_setzero_ps();
  for (std::int64_t b = 0; b < blocks; ++b, x += width, codes += code_stride) {
    if (half == 0) fetch_ahead<F>(group, codes, b);
    __m256i w[8];
    load_codes<F>(codes, half, w);
    const Scales s = load_scales<F>(group, b, half);
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
      const __m256 scale = _mm256_set1_ps(x[t].scale);
      const __m256i first = dot<F>(w, x[t].q, x[t].bias[0], 0, F.halves ? 4 : 8);
      sum[t] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(first), _mm256_mul_ps(s.scale, scale), sum[t]);
      if constexpr (F.halves) {
        const __m256i second = dot<F>(w, x[t].q, x[t].bias[1], 4, 4);
        sum[t] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(second), _mm256_mul_ps(s.second, scale), sum[t]);
      }
      if constexpr (F.minima && F.super) sum[t] = _mm256_fnmadd_ps(s.second, _mm256_set1_ps(x[t].scaled_sum), sum[t]);
      if constexpr (F.minima && !F.super) sum[t] = _mm256_fmadd_ps(s.second, _mm256_set1_ps(x[t].scaled_sum), sum[t]);
    }
  }
#pragma GCC unroll 8
  for (int t = 0; t < T; ++t) {
    if (rows >= 8) {
      _mm256_storeu_ps(out + t * out_stride, sum[t]);
    } else {
      _mm256_maskstore_ps(out + t * out_stride, lanes(rows), sum[t]);
    }
  }
}

template <Format F, int T>
void panel(const Weights& w, const PackedLayout& layout, const ActivationBlock* x, std::int64_t width, float* out, std::int64_t out_stride,
           std::int64_t begin, std::int64_t end) {
  for (std::int64_t g = begin; g < end; ++g) {
    const std::uint8_t* group = static_cast<const std::uint8_t*>(w.data) + g * layout.group_bytes;
    for (int half = 0; half < 2; ++half) {
      const std::int64_t first = g * kGroupRows + 8 * half;
      if (first >= w.rows) break;
      tile<F, T>(group, group + layout.group_metadata, layout.block_codes, w.cols / kBlock, x, width, out + first, out_stride, half, w.rows - first);
    }
  }
}

template <Format F>
void multiply(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end) {
  const PackedLayout layout = packed_layout(w.type, w.cols);
  const std::int64_t end = (row_end + kGroupRows - 1) / kGroupRows;
  // Rows whose weights stay in a second-level cache of 256 KiB or more while all tokens pass by.
  const std::int64_t fitting = (160 << 10) / layout.group_bytes;
  const std::int64_t chunk = x.tokens <= 4 ? end : fitting < 1 ? 1 : fitting;
  for (std::int64_t first = row_begin / kGroupRows; first < end; first += chunk) {
    const std::int64_t last = first + chunk < end ? first + chunk : end;
    for (std::int64_t t = 0; t < x.tokens;) {
      const TokenBlocks at = token_blocks(t, x.tokens, w.cols);
      const ActivationBlock* blocks = static_cast<const ActivationBlock*>(x.data) + at.first;
      float* here = out + t * out_stride;
      const std::int64_t left = at.width - t % kTokenGroup;
      if (left >= 4) {
        panel<F, 4>(w, layout, blocks, at.width, here, out_stride, first, last);
        t += 4;
      } else if (left >= 2) {
        panel<F, 2>(w, layout, blocks, at.width, here, out_stride, first, last);
        t += 2;
      } else {
        panel<F, 1>(w, layout, blocks, at.width, here, out_stride, first, last);
        t += 1;
      }
    }
  }
}

[[gnu::always_inline]] inline std::int32_t add_lanes(__m256i v) {
  __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}

void quantize_block(const QuantTraits& traits, const float* x, ActivationBlock& out) {
  const __m256 magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  __m256 v[4];
  __m256 most = _mm256_setzero_ps();
  for (int i = 0; i < 4; ++i) {
    v[i] = _mm256_loadu_ps(x + 8 * i);
    most = _mm256_max_ps(most, _mm256_and_ps(v[i], magnitude));
  }
  const float largest = reduce_max(most);
  const bool empty = !(largest > 1e-35f);  // as in reference/matmul.cc
  const __m256 inverse = _mm256_set1_ps(empty ? 0.0f : 127.0f / largest);
  __m256i q[4];
  for (int i = 0; i < 4; ++i) q[i] = _mm256_cvtps_epi32(_mm256_mul_ps(v[i], inverse));
  const std::int32_t first = add_lanes(_mm256_add_epi32(q[0], q[1])), second = add_lanes(_mm256_add_epi32(q[2], q[3]));
  // The packs work within 128-bit lanes; the permutation puts the groups of four bytes back in order.
  const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(q[0], q[1]), _mm256_packs_epi32(q[2], q[3]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.q), _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
  out.scale = empty ? 0.0f : largest / 127.0f;
  out.bias[0] = -traits.offset * (traits.halves ? first : first + second);
  out.bias[1] = traits.halves ? -traits.offset * second : 0;
  out.scaled_sum = out.scale * static_cast<float>(first + second);
}

}  // namespace

void avx2_prepare_quantized(Type type, const float* x, std::int64_t x_stride, const Activations& out, std::int64_t begin, std::int64_t end) {
  const QuantTraits traits = quant_traits(type);
  for (std::int64_t t = begin; t < end; ++t) {
    const TokenBlocks at = token_blocks(t, out.tokens, out.cols);
    ActivationBlock* blocks = static_cast<ActivationBlock*>(out.data) + at.first;
    for (std::int64_t b = 0; b < out.cols / kBlock; ++b) quantize_block(traits, x + t * x_stride + b * kBlock, blocks[b * at.width]);
  }
}

void avx2_matmul_quantized(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin,
                           std::int64_t row_end) {
  switch (w.type) {
    case Type::q4_0:
      return multiply<kQ40>(w, x, out, out_stride, row_begin, row_end);
    case Type::q4_1:
      return multiply<kQ41>(w, x, out, out_stride, row_begin, row_end);
    case Type::q5_0:
      return multiply<kQ50>(w, x, out, out_stride, row_begin, row_end);
    case Type::q5_1:
      return multiply<kQ51>(w, x, out, out_stride, row_begin, row_end);
    case Type::q8_0:
      return multiply<kQ80>(w, x, out, out_stride, row_begin, row_end);
    case Type::q4_k:
      return multiply<kQ4K>(w, x, out, out_stride, row_begin, row_end);
    case Type::q5_k:
      return multiply<kQ5K>(w, x, out, out_stride, row_begin, row_end);
    case Type::q6_k:
      return multiply<kQ6K>(w, x, out, out_stride, row_begin, row_end);
    case Type::q3_k:
      return multiply<kQ3K>(w, x, out, out_stride, row_begin, row_end);
    case Type::iq4_nl:
      return multiply<kIq4Nl>(w, x, out, out_stride, row_begin, row_end);
    case Type::iq4_xs:
      return multiply<kIq4Xs>(w, x, out, out_stride, row_begin, row_end);
    case Type::mxfp4:
      return multiply<kMxfp4>(w, x, out, out_stride, row_begin, row_end);
    default:
      return;
  }
}

}  // namespace codicil::kernels
