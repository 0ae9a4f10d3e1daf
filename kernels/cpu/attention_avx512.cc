// Attention for the avx512 table: blocks of query rows x tiles of 64 keys, online softmax, f32 accumulation.
//
// A "row" is one query head of one query: all heads that share a kv head are rows of one block, so that a tile of keys is read,
// transposed and (for many rows) widened to f32 once for all of them.
//   scores   lanes are keys: the f16 tile is transposed to [head_dim][64 keys], S[row][64] = sum over d of q[d] * K[d][64]
//   values   lanes are dimensions: O[row][d] = O * exp(old maximum - new maximum) + sum over keys of p * V[key][d]
// Rule that must stay true: a row's arithmetic depends only on its position. Tiles begin at multiples of 64 within a page, keys that
// a row may not see get weight 0 exactly, and the order of additions does not depend on how many rows are done together.
#include "kernels/cpu/attention_blocks.h"
#include "kernels/cpu/avx512.h"
#include "kernels/reference/kv_rows.h"

namespace codicil::kernels {
namespace {

// Eight vectors k[i] whose 128-bit lanes hold 8 dimensions of key i become vectors whose lanes hold 8 keys of dimension d.
[[gnu::always_inline]] inline void transpose8(__m512i (&k)[8]) {
  __m512i a[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    a[i] = _mm512_unpacklo_epi16(k[2 * i], k[2 * i + 1]);
    a[i + 4] = _mm512_unpackhi_epi16(k[2 * i], k[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    const __m512i* p = a + 4 * half;
    const __m512i low01 = _mm512_unpacklo_epi32(p[0], p[1]), low23 = _mm512_unpacklo_epi32(p[2], p[3]);
    const __m512i high01 = _mm512_unpackhi_epi32(p[0], p[1]), high23 = _mm512_unpackhi_epi32(p[2], p[3]);
    k[4 * half] = _mm512_unpacklo_epi64(low01, low23);
    k[4 * half + 1] = _mm512_unpackhi_epi64(low01, low23);
    k[4 * half + 2] = _mm512_unpacklo_epi64(high01, high23);
    k[4 * half + 3] = _mm512_unpackhi_epi64(high01, high23);
  }
}

// k[keys][head_dim] f16 -> k16[head_dim][64]; missing keys become 0.
void transpose_keys(const std::uint16_t* k, int keys, int head_dim, std::uint16_t* k16) {
  for (int d = 0; d < head_dim; d += 32) {
    const auto present = static_cast<__mmask32>(head_dim - d >= 32 ? 0xffffffffu : 0xffffu);
    for (int key = 0; key < kTile; key += 8) {
      __m512i rows[8];
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i)
        rows[i] = _mm512_maskz_loadu_epi16(key + i < keys ? present : 0, k + static_cast<std::int64_t>(key + i < keys ? key + i : 0) * head_dim + d);
      transpose8(rows);
      std::uint16_t* out = k16 + d * kTile + key;
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i * kTile), _mm512_castsi512_si128(rows[i]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + (8 + i) * kTile), _mm512_extracti32x4_epi32(rows[i], 1));
        if (present == 0xffff) continue;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + (16 + i) * kTile), _mm512_extracti32x4_epi32(rows[i], 2));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + (24 + i) * kTile), _mm512_extracti32x4_epi32(rows[i], 3));
      }
    }
  }
}

void widen(const std::uint16_t* in, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 16) _mm512_store_ps(out + i, load_halves(in + i));
}

// out[n] f16 from blocks of 32.
void dequantize(KvType type, const std::uint8_t* in, std::int64_t n, std::uint16_t* out) {
  const __m512 levels = _mm512_loadu_ps(kv_levels(type));
  for (std::int64_t i = 0; i < n; i += kKvBlock, out += kKvBlock) {
    std::uint16_t half;
    std::memcpy(&half, in, sizeof half);
    const __m512 scale = _mm512_cvtph_ps(_mm256_set1_epi16(static_cast<short>(half)));
    __m512 low, high;
    if (type == KvType::q8_0) {
      low = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 2))));
      high = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 18))));
      in += 34;
    } else {
      const __m128i nibble = _mm_set1_epi8(15), codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 2));
      low = _mm512_permutexvar_ps(_mm512_cvtepu8_epi32(_mm_and_si128(codes, nibble)), levels);
      high = _mm512_permutexvar_ps(_mm512_cvtepu8_epi32(_mm_and_si128(_mm_srli_epi16(codes, 4), nibble)), levels);
      in += 18;
    }
    constexpr int kRound = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtps_ph(_mm512_mul_ps(low, scale), kRound));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 16), _mm512_cvtps_ph(_mm512_mul_ps(high, scale), kRound));
  }
}

[[gnu::always_inline]] inline __m512 load16(const float* p) { return _mm512_load_ps(p); }
[[gnu::always_inline]] inline __m512 load16(const std::uint16_t* p) { return load_halves(p); }

// scores[R][64] of R rows; K is [head_dim][64], f32 or f16.
template <int R, class K>
[[gnu::always_inline]] inline void score_rows(const float* const* q, const K* k, int head_dim, float scale, float* scores) {
  __m512 sum[R][4];
  for (int r = 0; r < R; ++r)
    for (int i = 0; i < 4; ++i) sum[r][i] = _mm512_setzero_ps();
  for (int d = 0; d < head_dim; ++d, k += kTile) {
    const __m512 keys[4] = {load16(k), load16(k + 16), load16(k + 32), load16(k + 48)};
#pragma GCC unroll 6
    for (int r = 0; r < R; ++r) {
      const __m512 value = _mm512_set1_ps(q[r][d]);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) sum[r][i] = _mm512_fmadd_ps(keys[i], value, sum[r][i]);
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) _mm512_store_ps(scores + r * kTile + 16 * i, _mm512_mul_ps(sum[r][i], _mm512_set1_ps(scale)));
}

// sums[R][16 * C dims of head_dim] = sums * decay + weights[R][64] * V[keys][head_dim].
template <int R, int C, class V>
[[gnu::always_inline]] inline void add_values(const float* weights, const float* decay, const V* v, int keys, int head_dim, float* sums) {
  __m512 sum[R][C];
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int i = 0; i < C; ++i) sum[r][i] = _mm512_mul_ps(_mm512_load_ps(sums + r * head_dim + 16 * i), _mm512_set1_ps(decay[r]));
  for (int key = 0; key < keys; ++key, v += head_dim) {
    __m512 values[C];
#pragma GCC unroll 4
    for (int i = 0; i < C; ++i) values[i] = load16(v + 16 * i);
#pragma GCC unroll 6
    for (int r = 0; r < R; ++r) {
      const __m512 weight = _mm512_set1_ps(weights[r * kTile + key]);
#pragma GCC unroll 4
      for (int i = 0; i < C; ++i) sum[r][i] = _mm512_fmadd_ps(values[i], weight, sum[r][i]);
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int i = 0; i < C; ++i) _mm512_store_ps(sums + r * head_dim + 16 * i, sum[r][i]);
}

// scores[64] -> weights exp(score - maximum) of the first `visible` keys, 0 for the others; keeps maximum, total, decay.
[[gnu::always_inline]] inline void soften(float* scores, int visible, float& maximum, float& total, float& decay) {
  const __m512 minus_infinity = _mm512_set1_ps(-__builtin_inff());
  __m512 s[4];
  __mmask16 live[4];
  __m512 largest = minus_infinity;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const int left = visible - 16 * i;
    live[i] = static_cast<__mmask16>(left >= 16 ? 0xffff : left <= 0 ? 0 : (1 << left) - 1);
    s[i] = _mm512_mask_load_ps(minus_infinity, live[i], scores + 16 * i);
    largest = _mm512_max_ps(largest, s[i]);
  }
  const float found = _mm512_reduce_max_ps(largest);
  const float next = found > maximum ? found : maximum;
  decay = next == maximum ? 1.0f : _mm512_cvtss_f32(exp_ps(_mm512_set1_ps(maximum - next)));
  __m512 sum = _mm512_setzero_ps();
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    s[i] = _mm512_maskz_mov_ps(live[i], exp_ps(_mm512_sub_ps(s[i], _mm512_set1_ps(next))));
    _mm512_store_ps(scores + 16 * i, s[i]);
    sum = _mm512_add_ps(sum, s[i]);
  }
  total = total * decay + _mm512_reduce_add_ps(sum);
  maximum = next;
}

template <int R, class K, class V>
void do_rows(const Scratch& s, int row, const K* k, const V* v, int keys, int head_dim, float scale, const int* visible) {
  float* scores = s.scores + row * kTile;
  score_rows<R>(s.q + row, k, head_dim, scale, scores);
  for (int r = 0; r < R; ++r) soften(scores + r * kTile, visible[r], s.maximum[row + r], s.total[row + r], s.decay[row + r]);
  float* sums = s.sums + row * head_dim;
  int d = 0;
  for (; d + 64 <= head_dim; d += 64) add_values<R, 4>(scores, s.decay + row, v + d, keys, head_dim, sums + d);
  for (; d < head_dim; d += 16) add_values<R, 1>(scores, s.decay + row, v + d, keys, head_dim, sums + d);
}

struct Avx512 {
  static void transpose_keys(const std::uint16_t* k, int keys, int head_dim, std::uint16_t* out) { kernels::transpose_keys(k, keys, head_dim, out); }
  static void widen(const std::uint16_t* in, float* out, std::int64_t n) { kernels::widen(in, out, n); }
  static void dequantize(KvType type, const std::uint8_t* in, std::int64_t n, std::uint16_t* out) { kernels::dequantize(type, in, n, out); }
  template <int R, class K, class V>
  static void do_rows(const Scratch& s, int row, const K* k, const V* v, int keys, int head_dim, float scale, const int* visible) {
    kernels::do_rows<R>(s, row, k, v, keys, head_dim, scale, visible);
  }
  static void clear(float* sums, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += 16) _mm512_store_ps(sums + i, _mm512_setzero_ps());
  }
  static void scale(const float* sums, float factor, float* out, int n) {
    for (int d = 0; d < n; d += 16) _mm512_storeu_ps(out + d, _mm512_mul_ps(_mm512_load_ps(sums + d), _mm512_set1_ps(factor)));
  }
};

}  // namespace

std::size_t avx512_attention_scratch_bytes(int heads, int kv_heads, int head_dim, std::int64_t) {
  return layout(nullptr, heads / kv_heads, head_dim, nullptr);
}

void avx512_hadamard(float* x, std::int64_t n) { rotate_blocks(x, n); }
void avx512_store_quantized(KvType type, const float* x, void* row, std::int64_t n) { store_quantized(type, x, row, n); }

void avx512_attention(const AttentionArgs& args, int kv_head_begin, int kv_head_end) { attend<Avx512>(args, kv_head_begin, kv_head_end); }

}  // namespace codicil::kernels
