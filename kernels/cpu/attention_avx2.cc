// Attention for the avx2 table: f32 sums, one softmax per row and page (attention_blocks.h has the walk).
//
//   scores   lanes are keys, as 16 of them lie interleaved in a page: S[row][key] = sum over d of q[d] * K[d][key], 16 keys at a time
//   values   lanes are dimensions: O[row][d] = sum over keys of exp(S - maximum) * V[key][d], 16 dimensions at a time, in
//            registers for a part of the page
// Rule that must stay true: a row's arithmetic is the same however many rows are done together, and from f16 or widened pages.
#include "kernels/cpu/attention_blocks.h"
#include "kernels/cpu/avx2.h"
#include "kernels/reference/kv_rows.h"

namespace codicil::kernels {
namespace {

[[gnu::always_inline]] inline __m256 load8(const float* p) { return _mm256_load_ps(p); }
[[gnu::always_inline]] inline __m256 load8(const std::uint16_t* p) { return load_halves(p); }

[[gnu::always_inline]] inline __m128i load_codes(const std::uint8_t* p) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)); }
[[gnu::always_inline]] inline __m256 signed_levels(__m128i codes) { return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(codes)); }

// Levels of eight 4-bit codes: of the lower or the upper eight, by the code's top bit.
struct Levels {
  explicit Levels(const float* levels) : lower(_mm256_loadu_ps(levels)), upper(_mm256_loadu_ps(levels + 8)) {}
  [[gnu::always_inline]] __m256 operator()(__m128i codes) const {
    const __m256i index = _mm256_cvtepu8_epi32(_mm_and_si128(codes, _mm_set1_epi8(15)));
    const __m256 is_upper = _mm256_castsi256_ps(_mm256_slli_epi32(index, 28));
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(lower, index), _mm256_permutevar8x32_ps(upper, index), is_upper);
  }
  __m256 lower, upper;
};

// Levels of sixteen codes of q5, as bytes; `fifth`: bytes of all ones where the fifth bit is set.
struct Levels32 {
  explicit Levels32(const float* levels) {
    alignas(16) std::int8_t bytes[32];
    for (int i = 0; i < 32; ++i) bytes[i] = static_cast<std::int8_t>(levels[i]);
    low = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes)), high = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes + 16));
  }
  [[gnu::always_inline]] __m128i operator()(__m128i codes, __m128i fifth) const {
    const __m128i index = _mm_and_si128(codes, _mm_set1_epi8(15));
    return _mm_blendv_epi8(_mm_shuffle_epi8(low, index), _mm_shuffle_epi8(high, index), fifth);
  }
  __m128i low, high;
};
[[gnu::always_inline]] inline __m128i load16_codes(const std::uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
[[gnu::always_inline]] inline __m128i has_bits(__m128i bytes, __m128i bits) { return _mm_cmpeq_epi8(_mm_and_si128(bytes, bits), bits); }

void widen_q5_keys(const std::uint8_t* in, std::int64_t blocks, float* out) {
  const Levels32 levels(kv_levels(KvType::q5));
  for (; blocks > 0; --blocks, in += kv_row_bytes(KvType::q5, kKvBlock) * kKvGroup, out += kKvBlock * kKvGroup) {
    const __m256 scales[2] = {load_halves(in), load_halves(in + 16)};
    for (int i = 0; i < kKvBlock; ++i) {
      const __m128i both = load16_codes(in + 32 + 16 * (i % 16)), bits = load16_codes(in + 32 + 16 * (16 + i / 8));
      const __m128i found = levels(i < 16 ? both : _mm_srli_epi16(both, 4), has_bits(bits, _mm_set1_epi8(static_cast<char>(1 << i % 8))));
      _mm256_store_ps(out + 16 * i, _mm256_mul_ps(signed_levels(found), scales[0]));
      _mm256_store_ps(out + 16 * i + 8, _mm256_mul_ps(signed_levels(_mm_unpackhi_epi64(found, found)), scales[1]));
    }
  }
}

void widen_q5_values(const std::uint8_t* in, std::int64_t blocks, float* out) {
  const Levels32 levels(kv_levels(KvType::q5));
  // Two bytes of fifth bits to sixteen bytes, of which each looks at its own bit.
  const __m128i spread = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1), own = _mm_set1_epi64x(0x8040201008040201);
  for (; blocks > 0; --blocks, in += kv_row_bytes(KvType::q5, kKvBlock), out += kKvBlock) {
    std::uint16_t half, fifth[2];
    std::memcpy(&half, in, sizeof half);
    std::memcpy(fifth, in + 18, sizeof fifth);
    const __m256 scale = _mm256_cvtph_ps(_mm_set1_epi16(static_cast<short>(half)));
    const __m128i both = load16_codes(in + 2);
    for (int part = 0; part < 2; ++part) {
      const __m128i bits = _mm_shuffle_epi8(_mm_set1_epi16(static_cast<short>(fifth[part])), spread);
      const __m128i found = levels(part == 0 ? both : _mm_srli_epi16(both, 4), has_bits(bits, own));
      _mm256_store_ps(out + 16 * part, _mm256_mul_ps(signed_levels(found), scale));
      _mm256_store_ps(out + 16 * part + 8, _mm256_mul_ps(signed_levels(_mm_unpackhi_epi64(found, found)), scale));
    }
  }
}

// Groups of 16 keys -> [groups][head_dim][16] f32.
void widen_keys(KvType type, const void* rows, int keys, int head_dim, float* out) {
  const int groups = (keys + kKvGroup - 1) / kKvGroup;
  if (type == KvType::f16) {
    const auto* in = static_cast<const std::uint16_t*>(rows);
    for (std::int64_t i = 0; i < groups * head_dim * kKvGroup; i += 8) _mm256_store_ps(out + i, load_halves(in + i));
    return;
  }
  const auto* in = static_cast<const std::uint8_t*>(rows);
  if (type == KvType::q5) return widen_q5_keys(in, groups * (head_dim / kKvBlock), out);
  const Levels levels(kv_levels(type));
  for (std::int64_t block = 0; block < groups * (head_dim / kKvBlock); ++block, out += kKvBlock * kKvGroup) {
    const __m256 scales[2] = {load_halves(in), load_halves(in + 16)};
    in += 2 * kKvGroup;
    for (int i = 0; i < (type == KvType::q8_0 ? 32 : 16); ++i, in += 16)
      for (int half = 0; half < 2; ++half) {
        const __m128i codes = load_codes(in + 8 * half);
        float* to = out + 16 * i + 8 * half;
        if (type == KvType::q8_0) {
          _mm256_store_ps(to, _mm256_mul_ps(signed_levels(codes), scales[half]));
        } else {
          _mm256_store_ps(to, _mm256_mul_ps(levels(codes), scales[half]));
          _mm256_store_ps(to + 16 * 16, _mm256_mul_ps(levels(_mm_srli_epi16(codes, 4)), scales[half]));
        }
      }
  }
}

// n numbers of rows, one after the other.
void widen_values(KvType type, const void* rows, std::int64_t n, float* out) {
  if (type == KvType::f16) {
    const auto* in = static_cast<const std::uint16_t*>(rows);
    for (std::int64_t i = 0; i < n; i += 8) _mm256_store_ps(out + i, load_halves(in + i));
    return;
  }
  const auto* in = static_cast<const std::uint8_t*>(rows);
  if (type == KvType::q5) return widen_q5_values(in, n / kKvBlock, out);
  const Levels levels(kv_levels(type));
  for (std::int64_t i = 0; i < n; i += kKvBlock, out += kKvBlock) {
    std::uint16_t half;
    std::memcpy(&half, in, sizeof half);
    const __m256 scale = _mm256_cvtph_ps(_mm_set1_epi16(static_cast<short>(half)));
    if (type == KvType::q8_0) {
#pragma GCC unroll 4
      for (int part = 0; part < 4; ++part) _mm256_store_ps(out + 8 * part, _mm256_mul_ps(signed_levels(load_codes(in + 2 + 8 * part)), scale));
      in += 34;
    } else {
      for (int part = 0; part < 2; ++part) {
        const __m128i codes = load_codes(in + 2 + 8 * part);
        _mm256_store_ps(out + 8 * part, _mm256_mul_ps(levels(codes), scale));
        _mm256_store_ps(out + 16 + 8 * part, _mm256_mul_ps(levels(_mm_srli_epi16(codes, 4)), scale));
      }
      in += 18;
    }
  }
}

// scores[R][256] of one group of 16 keys: 2 R sums of the 16 registers.
template <int R, class K>
[[gnu::always_inline]] inline void score_group(const float* q, const K* k, int head_dim, float* scores) {
  __m256 sum[R][2];
  for (int r = 0; r < R; ++r) sum[r][0] = sum[r][1] = _mm256_setzero_ps();
  for (int d = 0; d < head_dim; ++d, k += kKvGroup) {
    const __m256 low = load8(k), high = load8(k + 8);
#pragma GCC unroll 6
    for (int r = 0; r < R; ++r) {
      const __m256 value = _mm256_set1_ps(q[r * kMostHeadDim + d]);
      sum[r][0] = _mm256_fmadd_ps(low, value, sum[r][0]);
      sum[r][1] = _mm256_fmadd_ps(high, value, sum[r][1]);
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r) {
    _mm256_store_ps(scores + r * kKvPageTokens, sum[r][0]);
    _mm256_store_ps(scores + r * kKvPageTokens + 8, sum[r][1]);
  }
}

// scores[visible] -> weights exp(score - maximum), 0 from there to `keys`.
[[gnu::always_inline]] inline void soften(float* scores, int visible, int keys, float& maximum, float& total) {
  const __m256 minus_infinity = _mm256_set1_ps(-__builtin_inff());
  __m256 largest = minus_infinity;
  for (int i = 0; i < keys; i += 8) {
    const __m256 live = _mm256_castsi256_ps(lanes(visible > i ? visible - i : 0));
    const __m256 s = _mm256_blendv_ps(minus_infinity, _mm256_load_ps(scores + i), live);
    _mm256_store_ps(scores + i, s);
    largest = _mm256_max_ps(largest, s);
  }
  maximum = reduce_max(largest);
  const __m256 most = _mm256_set1_ps(maximum);
  __m256 sum = _mm256_setzero_ps();
  for (int i = 0; i < keys; i += 8) {
    const __m256 weight = exp_ps(_mm256_sub_ps(_mm256_load_ps(scores + i), most));  // of minus infinity: 0
    _mm256_store_ps(scores + i, weight);
    sum = _mm256_add_ps(sum, weight);
  }
  total = reduce_add(sum);
}

[[gnu::always_inline]] inline float dot(const float* a, const float* b, int n) {
  __m256 sum = _mm256_setzero_ps();
  for (int i = 0; i < n; i += 8) sum = _mm256_fmadd_ps(_mm256_load_ps(a + i), _mm256_loadu_ps(b + i), sum);
  return reduce_add(sum);
}

// How the softmax of a page joins that of the pages before: new = old * keep + page * take.
struct Factors {
  float keep, take;
};
[[gnu::always_inline]] inline Factors join_totals(float& maximum, float& total, float page_maximum, float page_total) {
  const float next = page_maximum > maximum ? page_maximum : maximum;
  const __m256 from = _mm256_blend_ps(_mm256_set1_ps(maximum), _mm256_set1_ps(page_maximum), 2);
  float factors[8];
  _mm256_storeu_ps(factors, exp_ps(_mm256_sub_ps(from, _mm256_set1_ps(next))));
  maximum = next;
  total = __builtin_fmaf(page_total, factors[1], total * factors[0]);
  return {factors[0], factors[1]};
}
[[gnu::always_inline]] inline __m256 join8(__m256 old, __m256 page, Factors f) {
  return _mm256_fmadd_ps(page, _mm256_set1_ps(f.take), _mm256_mul_ps(old, _mm256_set1_ps(f.keep)));
}

// sums[R][16 dims] += weights[R][256] * V[keys][head_dim]; `first`: they begin at 0.
template <int R, class V>
[[gnu::always_inline]] inline void add_values(const float* weights, const V* v, int keys, int head_dim, bool first, float* sums) {
  __m256 sum[R][2];
  for (int r = 0; r < R; ++r)
    for (int i = 0; i < 2; ++i) sum[r][i] = first ? _mm256_setzero_ps() : _mm256_load_ps(sums + r * kMostHeadDim + 8 * i);
  for (int key = 0; key < keys; ++key, v += head_dim) {
    const __m256 low = load8(v), high = load8(v + 8);
#pragma GCC unroll 6
    for (int r = 0; r < R; ++r) {
      const __m256 weight = _mm256_set1_ps(weights[r * kKvPageTokens + key]);
      sum[r][0] = _mm256_fmadd_ps(low, weight, sum[r][0]);
      sum[r][1] = _mm256_fmadd_ps(high, weight, sum[r][1]);
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r)
    for (int i = 0; i < 2; ++i) _mm256_store_ps(sums + r * kMostHeadDim + 8 * i, sum[r][i]);
}

template <int R, class K, class V>
void do_rows(const PageRows<K, V>& part) {
  const AttentionArgs& args = part.block.args;
  const Scratch& s = part.block.s;
  const int head_dim = args.head_dim;
  alignas(32) float q[R * kMostHeadDim], scores[R * kKvPageTokens], sums[R * kMostHeadDim];
  for (int r = 0; r < R; ++r)
    for (int d = 0; d < head_dim; d += 8)
      _mm256_store_ps(q + r * kMostHeadDim + d, _mm256_mul_ps(_mm256_loadu_ps(s.q[part.row + r] + d), _mm256_set1_ps(args.scale)));
  for (int begin = 0; begin < part.keys; begin += K::kPart) {
    const int keys = part.keys - begin < K::kPart ? part.keys - begin : K::kPart;
    const auto* k = part.k.part(begin, keys);
    for (int first = 0; first < keys; first += 16) score_group<R>(q, k + first * head_dim, head_dim, scores + begin + first);
  }
  float maximum[R], total[R];
  Factors factors[R];
  float* to[R];
  for (int r = 0; r < R; ++r) {
    soften(scores + r * kKvPageTokens, part.visible[r], part.keys, maximum[r], total[r]);
    if (part.mean) maximum[r] += dot(q + r * kMostHeadDim, part.mean, head_dim);
    if (args.page_states) {
      to[r] = part.block.page_state(part.position, part.row + r);
      to[r][0] = maximum[r], to[r][1] = total[r];
      to[r] += 2;
    } else {
      factors[r] = join_totals(s.maximum[part.row + r], s.total[part.row + r], maximum[r], total[r]);
      to[r] = s.sums + (part.row + r) * head_dim;
    }
  }
  const Factors* f = args.page_states ? nullptr : factors;
  for (int begin = 0; begin < part.keys; begin += V::kPart) {
    const int keys = part.keys - begin < V::kPart ? part.keys - begin : V::kPart;
    const auto* v = part.v.part(begin, keys);
    for (int d = 0; d < head_dim; d += 16) add_values<R>(scores + begin, v + d, keys, head_dim, begin == 0, sums + d);
  }
  for (int r = 0; r < R; ++r)
    for (int d = 0; d < head_dim; d += 8) {
      const __m256 sum = _mm256_load_ps(sums + r * kMostHeadDim + d);
      _mm256_storeu_ps(to[r] + d, f ? join8(_mm256_loadu_ps(to[r] + d), sum, f[r]) : sum);
    }
}

struct Avx2 {
  static constexpr int kRowsTogether = 6;
  static void widen_keys(KvType type, const void* rows, int keys, int head_dim, float* out) { kernels::widen_keys(type, rows, keys, head_dim, out); }
  static void widen_values(KvType type, const void* rows, std::int64_t n, float* out) { kernels::widen_values(type, rows, n, out); }
  template <int R, class K, class V>
  static void do_rows(const PageRows<K, V>& part) {
    kernels::do_rows<R>(part);
  }
  static void join(const Scratch& s, int row, float maximum, float total, const float* page_sums, int head_dim) {
    const Factors f = join_totals(s.maximum[row], s.total[row], maximum, total);
    float* sums = s.sums + row * head_dim;
    for (int d = 0; d < head_dim; d += 8) _mm256_store_ps(sums + d, join8(_mm256_load_ps(sums + d), _mm256_loadu_ps(page_sums + d), f));
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
void avx2_store_key(KvType type, const float* x, void* group, int slot, std::int64_t n) {
  if (type != KvType::f16) return store_quantized_key(type, x, group, slot, n);
  auto* out = static_cast<std::uint16_t*>(group) + slot;
  for (std::int64_t i = 0; i < n; ++i) out[i * kKvGroup] = _cvtss_sh(x[i], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

void avx2_attention(const AttentionArgs& args, int kv_head_begin, int kv_head_end) { attend<Avx2>(args, kv_head_begin, kv_head_end); }
void avx2_attention_merge(const AttentionArgs& args, int kv_head_begin, int kv_head_end) { merge<Avx2>(args, kv_head_begin, kv_head_end); }

}  // namespace codicil::kernels
