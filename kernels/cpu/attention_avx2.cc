// Attention for the avx2 table: blocks of query rows x tiles of 64 keys, online softmax, f32 accumulation.
//
// A "row" is one query head of one query: all heads that share a kv head are rows of one block, so that a tile of keys is read,
// transposed and (for many rows) widened to f32 once for all of them.
//   scores   lanes are keys: the f16 tile is transposed to [head_dim][64 keys], S[row][64] = sum over d of q[d] * K[d][64]
//   values   lanes are dimensions: O[row][d] = O * exp(old maximum - new maximum) + sum over keys of p * V[key][d]
// Rule that must stay true: a row's arithmetic depends only on its position. Tiles begin at multiples of 64 within a page, keys that
// a row may not see get weight 0 exactly, and the order of additions does not depend on how many rows are done together.
#include "kernels/cpu/attention_blocks.h"
#include "kernels/cpu/avx2.h"
#include "kernels/reference/kv_rows.h"

namespace codicil::kernels {
namespace {

// Eight vectors k[i] whose 128-bit lanes hold 8 dimensions of key i become vectors whose lanes hold 8 keys of dimension d.
[[gnu::always_inline]] inline void transpose8(__m256i (&k)[8]) {
  __m256i a[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    a[i] = _mm256_unpacklo_epi16(k[2 * i], k[2 * i + 1]);
    a[i + 4] = _mm256_unpackhi_epi16(k[2 * i], k[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    const __m256i* p = a + 4 * half;
    const __m256i low01 = _mm256_unpacklo_epi32(p[0], p[1]), low23 = _mm256_unpacklo_epi32(p[2], p[3]);
    const __m256i high01 = _mm256_unpackhi_epi32(p[0], p[1]), high23 = _mm256_unpackhi_epi32(p[2], p[3]);
    k[4 * half] = _mm256_unpacklo_epi64(low01, low23);
    k[4 * half + 1] = _mm256_unpackhi_epi64(low01, low23);
    k[4 * half + 2] = _mm256_unpacklo_epi64(high01, high23);
    k[4 * half + 3] = _mm256_unpackhi_epi64(high01, high23);
  }
}

// k[keys][head_dim] f16 -> k16[head_dim][64]; missing keys become 0.
void transpose_keys(const std::uint16_t* k, int keys, int head_dim, std::uint16_t* k16) {
  for (int d = 0; d < head_dim; d += 16) {
    for (int key = 0; key < kTile; key += 8) {
      __m256i rows[8];
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        const std::uint16_t* from = k + static_cast<std::int64_t>(key + i) * head_dim + d;
        rows[i] = key + i < keys ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)) : _mm256_setzero_si256();
      }
      transpose8(rows);
      std::uint16_t* out = k16 + d * kTile + key;
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i * kTile), _mm256_castsi256_si128(rows[i]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + (8 + i) * kTile), _mm256_extracti128_si256(rows[i], 1));
      }
    }
  }
}

void widen(const std::uint16_t* in, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 8) _mm256_store_ps(out + i, load_halves(in + i));
}

// Levels of eight 4-bit codes: of the lower or the upper eight, by the code's top bit.
[[gnu::always_inline]] inline __m256 levels_of(__m128i codes, __m256 lower, __m256 upper) {
  const __m256i index = _mm256_cvtepu8_epi32(codes);
  const __m256 is_upper = _mm256_castsi256_ps(_mm256_slli_epi32(index, 28));
  return _mm256_blendv_ps(_mm256_permutevar8x32_ps(lower, index), _mm256_permutevar8x32_ps(upper, index), is_upper);
}

// out[n] f16 from blocks of 32.
void dequantize(KvType type, const std::uint8_t* in, std::int64_t n, std::uint16_t* out) {
  const __m256 lower = _mm256_loadu_ps(kv_levels(type)), upper = _mm256_loadu_ps(kv_levels(type) + 8);
  for (std::int64_t i = 0; i < n; i += kKvBlock, out += kKvBlock) {
    std::uint16_t half;
    std::memcpy(&half, in, sizeof half);
    const __m256 scale = _mm256_cvtph_ps(_mm_set1_epi16(static_cast<short>(half)));
    __m256 values[4];
    if (type == KvType::q8_0) {
#pragma GCC unroll 4
      for (int part = 0; part < 4; ++part)
        values[part] = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(in + 2 + 8 * part))));
      in += 34;
    } else {
      const __m128i nibble = _mm_set1_epi8(15), codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 2));
      const __m128i first = _mm_and_si128(codes, nibble), second = _mm_and_si128(_mm_srli_epi16(codes, 4), nibble);
      values[0] = levels_of(first, lower, upper);
      values[1] = levels_of(_mm_unpackhi_epi64(first, first), lower, upper);
      values[2] = levels_of(second, lower, upper);
      values[3] = levels_of(_mm_unpackhi_epi64(second, second), lower, upper);
      in += 18;
    }
#pragma GCC unroll 4
    for (int part = 0; part < 4; ++part)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 8 * part),
                       _mm256_cvtps_ph(_mm256_mul_ps(values[part], scale), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
}

[[gnu::always_inline]] inline __m256 load8(const float* p) { return _mm256_load_ps(p); }
[[gnu::always_inline]] inline __m256 load8(const std::uint16_t* p) { return load_halves(p); }

// scores[R][64] of R rows; K is [head_dim][64], f32 or f16. 16 keys at a time: 2 R sums of the 16 registers.
template <int R, class K>
[[gnu::always_inline]] inline void score_rows(const float* const* q, const K* k, int head_dim, float scale, float* scores) {
  for (int first = 0; first < kTile; first += 16) {
    __m256 sum[R][2];
    for (int r = 0; r < R; ++r) sum[r][0] = sum[r][1] = _mm256_setzero_ps();
    const K* at = k + first;
    for (int d = 0; d < head_dim; ++d, at += kTile) {
      const __m256 low = load8(at), high = load8(at + 8);
#pragma GCC unroll 6
      for (int r = 0; r < R; ++r) {
        const __m256 value = _mm256_set1_ps(q[r][d]);
        sum[r][0] = _mm256_fmadd_ps(low, value, sum[r][0]);
        sum[r][1] = _mm256_fmadd_ps(high, value, sum[r][1]);
      }
    }
#pragma GCC unroll 6
    for (int r = 0; r < R; ++r) {
      _mm256_store_ps(scores + r * kTile + first, _mm256_mul_ps(sum[r][0], _mm256_set1_ps(scale)));
      _mm256_store_ps(scores + r * kTile + first + 8, _mm256_mul_ps(sum[r][1], _mm256_set1_ps(scale)));
    }
  }
}

// sums[R][8 * C dims of head_dim] = sums * decay + weights[R][64] * V[keys][head_dim].
template <int R, int C, class V>
[[gnu::always_inline]] inline void add_values(const float* weights, const float* decay, const V* v, int keys, int head_dim, float* sums) {
  __m256 sum[R][C];
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int i = 0; i < C; ++i) sum[r][i] = _mm256_mul_ps(_mm256_load_ps(sums + r * head_dim + 8 * i), _mm256_set1_ps(decay[r]));
  for (int key = 0; key < keys; ++key, v += head_dim) {
    __m256 values[C];
#pragma GCC unroll 4
    for (int i = 0; i < C; ++i) values[i] = load8(v + 8 * i);
#pragma GCC unroll 6
    for (int r = 0; r < R; ++r) {
      const __m256 weight = _mm256_set1_ps(weights[r * kTile + key]);
#pragma GCC unroll 4
      for (int i = 0; i < C; ++i) sum[r][i] = _mm256_fmadd_ps(values[i], weight, sum[r][i]);
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int i = 0; i < C; ++i) _mm256_store_ps(sums + r * head_dim + 8 * i, sum[r][i]);
}

// scores[64] -> weights exp(score - maximum) of the first `visible` keys, 0 for the others; keeps maximum, total, decay.
[[gnu::always_inline]] inline void soften(float* scores, int visible, float& maximum, float& total, float& decay) {
  const __m256 minus_infinity = _mm256_set1_ps(-__builtin_inff());
  __m256 largest = minus_infinity;
  for (int i = 0; i < kTile; i += 8) {
    const __m256 live = _mm256_castsi256_ps(lanes(visible - i));
    const __m256 s = _mm256_blendv_ps(minus_infinity, _mm256_load_ps(scores + i), live);
    _mm256_store_ps(scores + i, s);
    largest = _mm256_max_ps(largest, s);
  }
  const float found = reduce_max(largest);
  const float next = found > maximum ? found : maximum;
  decay = next == maximum ? 1.0f : _mm256_cvtss_f32(exp_ps(_mm256_set1_ps(maximum - next)));
  __m256 sum = _mm256_setzero_ps();
  for (int i = 0; i < kTile; i += 8) {
    const __m256 weight = exp_ps(_mm256_sub_ps(_mm256_load_ps(scores + i), _mm256_set1_ps(next)));  // of minus infinity: 0
    _mm256_store_ps(scores + i, weight);
    sum = _mm256_add_ps(sum, weight);
  }
  total = total * decay + reduce_add(sum);
  maximum = next;
}

template <int R, class K, class V>
void do_rows(const Scratch& s, int row, const K* k, const V* v, int keys, int head_dim, float scale, const int* visible) {
  float* scores = s.scores + row * kTile;
  score_rows<R>(s.q + row, k, head_dim, scale, scores);
  for (int r = 0; r < R; ++r) soften(scores + r * kTile, visible[r], s.maximum[row + r], s.total[row + r], s.decay[row + r]);
  float* sums = s.sums + row * head_dim;
  for (int d = 0; d < head_dim; d += 16) add_values<R, 2>(scores, s.decay + row, v + d, keys, head_dim, sums + d);
}

struct Avx2 {
  static void transpose_keys(const std::uint16_t* k, int keys, int head_dim, std::uint16_t* out) { kernels::transpose_keys(k, keys, head_dim, out); }
  static void widen(const std::uint16_t* in, float* out, std::int64_t n) { kernels::widen(in, out, n); }
  static void dequantize(KvType type, const std::uint8_t* in, std::int64_t n, std::uint16_t* out) { kernels::dequantize(type, in, n, out); }
  template <int R, class K, class V>
  static void do_rows(const Scratch& s, int row, const K* k, const V* v, int keys, int head_dim, float scale, const int* visible) {
    kernels::do_rows<R>(s, row, k, v, keys, head_dim, scale, visible);
  }
  static void clear(float* sums, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += 8) _mm256_store_ps(sums + i, _mm256_setzero_ps());
  }
  static void scale(const float* sums, float factor, float* out, int n) {
    for (int d = 0; d < n; d += 8) _mm256_storeu_ps(out + d, _mm256_mul_ps(_mm256_load_ps(sums + d), _mm256_set1_ps(factor)));
  }
};

}  // namespace

std::size_t avx2_attention_scratch_bytes(int heads, int kv_heads, int head_dim, std::int64_t) {
  return layout(nullptr, heads / kv_heads, head_dim, nullptr);
}

void avx2_hadamard(float* x, std::int64_t n) { rotate_blocks(x, n); }
void avx2_store_quantized(KvType type, const float* x, void* row, std::int64_t n) { store_quantized(type, x, row, n); }

void avx2_attention(const AttentionArgs& args, int kv_head_begin, int kv_head_end) { attend<Avx2>(args, kv_head_begin, kv_head_end); }

}  // namespace codicil::kernels
