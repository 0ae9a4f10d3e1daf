// Attention for the avx512 table: f32 sums, one softmax per row and page (attention_blocks.h has the walk).
//
//   scores   lanes are keys, as 16 of them lie interleaved in a page: S[row][key] = sum over d of q[d] * K[d][key], 64 keys at a time
//   values   lanes are dimensions: O[row][d] = sum over keys of exp(S - maximum) * V[key][d], 64 dimensions at a time, in
//            registers for a part of the page
// Rule that must stay true: a row's arithmetic is the same however many rows are done together, and from f16 or widened pages.
#include "kernels/cpu/attention_blocks.h"
#include "kernels/cpu/avx512.h"
#include "kernels/reference/kv_rows.h"

namespace codicil::kernels {
namespace {

[[gnu::always_inline]] inline __m512 load16(const float* p) { return _mm512_load_ps(p); }
[[gnu::always_inline]] inline __m512 load16(const std::uint16_t* p) { return load_halves(p); }

[[gnu::always_inline]] inline __m128i load_codes(const std::uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
[[gnu::always_inline]] inline __m512 signed_levels(__m128i codes) { return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(codes)); }
[[gnu::always_inline]] inline __m512 table_levels(__m128i codes, __m512 levels) {
  return _mm512_permutexvar_ps(_mm512_cvtepu8_epi32(_mm_and_si128(codes, _mm_set1_epi8(15))), levels);
}

// Numbers of 16 four-bit codes and, of q5, the fifth bits.
struct Levels {
  explicit Levels(KvType type) : low(_mm512_loadu_ps(kv_levels(type))), high(_mm512_loadu_ps(kv_levels(type) + (type == KvType::q5 ? 16 : 0))) {}
  [[gnu::always_inline]] __m512 operator()(__m128i codes) const { return table_levels(codes, low); }
  [[gnu::always_inline]] __m512 operator()(__m128i codes, __mmask16 fifth) const {
    const __m512i index = _mm512_cvtepu8_epi32(_mm_and_si128(codes, _mm_set1_epi8(15)));
    return _mm512_permutex2var_ps(low, _mm512_mask_or_epi32(index, fifth, index, _mm512_set1_epi32(16)), high);
  }
  __m512 low, high;
};

// Groups of 16 keys -> [groups][head_dim][16] f32.
void widen_keys(KvType type, const void* rows, int keys, int head_dim, float* out) {
  const int groups = (keys + kKvGroup - 1) / kKvGroup;
  if (type == KvType::f16) {
    const auto* in = static_cast<const std::uint16_t*>(rows);
    for (std::int64_t i = 0; i < groups * head_dim * kKvGroup; i += 16) _mm512_store_ps(out + i, load_halves(in + i));
    return;
  }
  const auto* in = static_cast<const std::uint8_t*>(rows);
  const Levels levels(type);
  for (std::int64_t block = 0; block < groups * (head_dim / kKvBlock); ++block, out += kKvBlock * kKvGroup) {
    const __m512 scales = load_halves(in);
    in += 2 * kKvGroup;
    if (type == KvType::q8_0) {
      for (int i = 0; i < 32; ++i, in += 16) _mm512_store_ps(out + 16 * i, _mm512_mul_ps(signed_levels(load_codes(in)), scales));
      continue;
    }
    if (type == KvType::q5) {
      for (int i = 0; i < 16; ++i) {
        const __m128i codes = load_codes(in + 16 * i), bit = _mm_set1_epi8(static_cast<char>(1 << i % 8));
        const std::uint8_t* fifth = in + 16 * (16 + i / 8);
        _mm512_store_ps(out + 16 * i, _mm512_mul_ps(levels(codes, _mm_test_epi8_mask(load_codes(fifth), bit)), scales));
        _mm512_store_ps(out + 16 * (i + 16),
                        _mm512_mul_ps(levels(_mm_srli_epi16(codes, 4), _mm_test_epi8_mask(load_codes(fifth + 32), bit)), scales));
      }
      in += 20 * kKvGroup;
      continue;
    }
    for (int i = 0; i < 16; ++i, in += 16) {
      const __m128i codes = load_codes(in);
      _mm512_store_ps(out + 16 * i, _mm512_mul_ps(levels(codes), scales));
      _mm512_store_ps(out + 16 * (i + 16), _mm512_mul_ps(levels(_mm_srli_epi16(codes, 4)), scales));
    }
  }
}

// n numbers of rows, one after the other.
void widen_values(KvType type, const void* rows, std::int64_t n, float* out) {
  if (type == KvType::f16) {
    const auto* in = static_cast<const std::uint16_t*>(rows);
    for (std::int64_t i = 0; i < n; i += 16) _mm512_store_ps(out + i, load_halves(in + i));
    return;
  }
  const auto* in = static_cast<const std::uint8_t*>(rows);
  const Levels levels(type);
  for (std::int64_t i = 0; i < n; i += kKvBlock, out += kKvBlock) {
    std::uint16_t half;
    std::memcpy(&half, in, sizeof half);
    const __m512 scale = _mm512_cvtph_ps(_mm256_set1_epi16(static_cast<short>(half)));
    if (type == KvType::q8_0) {
      _mm512_store_ps(out, _mm512_mul_ps(signed_levels(load_codes(in + 2)), scale));
      _mm512_store_ps(out + 16, _mm512_mul_ps(signed_levels(load_codes(in + 18)), scale));
      in += 34;
    } else if (type == KvType::q5) {
      const __m128i codes = load_codes(in + 2);
      __mmask16 fifth[2];
      std::memcpy(fifth, in + 18, sizeof fifth);
      _mm512_store_ps(out, _mm512_mul_ps(levels(codes, fifth[0]), scale));
      _mm512_store_ps(out + 16, _mm512_mul_ps(levels(_mm_srli_epi16(codes, 4), fifth[1]), scale));
      in += 22;
    } else {
      const __m128i codes = load_codes(in + 2);
      _mm512_store_ps(out, _mm512_mul_ps(levels(codes), scale));
      _mm512_store_ps(out + 16, _mm512_mul_ps(levels(_mm_srli_epi16(codes, 4)), scale));
      in += 18;
    }
  }
}

// scores[R][256] of G groups of 16 keys.
template <int R, int G, class K>
[[gnu::always_inline]] inline void score_groups(const float* q, const K* k, int head_dim, float* scores) {
  __m512 sum[R][G];
  for (int r = 0; r < R; ++r)
    for (int g = 0; g < G; ++g) sum[r][g] = _mm512_setzero_ps();
  for (int d = 0; d < head_dim; ++d) {
    __m512 keys[G];
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) keys[g] = load16(k + (g * head_dim + d) * kKvGroup);
    // The groups that come next: half a group is a line of the caches and there are head_dim of each.
    if constexpr (sizeof(K) == 2 && G == 4) {
      _mm_prefetch(reinterpret_cast<const char*>(k + (4 * head_dim + 4 * d) * kKvGroup), _MM_HINT_T0);
      _mm_prefetch(reinterpret_cast<const char*>(k + (4 * head_dim + 4 * d + 2) * kKvGroup), _MM_HINT_T0);
    }
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const __m512 value = _mm512_set1_ps(q[r * kMostHeadDim + d]);
#pragma GCC unroll 4
      for (int g = 0; g < G; ++g) sum[r][g] = _mm512_fmadd_ps(keys[g], value, sum[r][g]);
    }
  }
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) _mm512_store_ps(scores + r * kKvPageTokens + g * kKvGroup, sum[r][g]);
}

// scores[visible] -> weights exp(score - maximum), 0 from there to `keys`.
[[gnu::always_inline]] inline void soften(float* scores, int visible, int keys, float& maximum, float& total) {
  const __m512 minus_infinity = _mm512_set1_ps(-__builtin_inff());
  const int whole = visible / 16 * 16;
  const auto tail = static_cast<__mmask16>((1u << (visible - whole)) - 1);
  __m512 largest = _mm512_mask_load_ps(minus_infinity, tail, scores + whole);
  for (int i = 0; i < whole; i += 16) largest = _mm512_max_ps(largest, _mm512_load_ps(scores + i));
  maximum = _mm512_reduce_max_ps(largest);
  const __m512 most = _mm512_set1_ps(maximum);
  __m512 sum = _mm512_setzero_ps();
  for (int i = 0; i < whole; i += 16) {
    const __m512 weight = exp_ps(_mm512_sub_ps(_mm512_load_ps(scores + i), most));
    _mm512_store_ps(scores + i, weight);
    sum = _mm512_add_ps(sum, weight);
  }
  if (whole < keys) {
    const __m512 weight = _mm512_maskz_mov_ps(tail, exp_ps(_mm512_sub_ps(_mm512_maskz_load_ps(tail, scores + whole), most)));
    _mm512_store_ps(scores + whole, weight);
    sum = _mm512_add_ps(sum, weight);
    for (int i = whole + 16; i < keys; i += 16) _mm512_store_ps(scores + i, _mm512_setzero_ps());
  }
  total = _mm512_reduce_add_ps(sum);
}

[[gnu::always_inline]] inline float dot(const float* a, const float* b, int n) {
  __m512 sum = _mm512_setzero_ps();
  for (int i = 0; i < n; i += 16) sum = _mm512_fmadd_ps(_mm512_load_ps(a + i), _mm512_loadu_ps(b + i), sum);
  return _mm512_reduce_add_ps(sum);
}

// How the softmax of a page joins that of the pages before: new = old * keep + page * take.
struct Factors {
  float keep, take;
};
[[gnu::always_inline]] inline Factors join_totals(float& maximum, float& total, float page_maximum, float page_total) {
  const float next = page_maximum > maximum ? page_maximum : maximum;
  const __m512 from = _mm512_mask_mov_ps(_mm512_set1_ps(maximum), 2, _mm512_set1_ps(page_maximum));
  float factors[16];
  _mm512_storeu_ps(factors, exp_ps(_mm512_sub_ps(from, _mm512_set1_ps(next))));
  maximum = next;
  total = __builtin_fmaf(page_total, factors[1], total * factors[0]);
  return {factors[0], factors[1]};
}
[[gnu::always_inline]] inline __m512 join16(__m512 old, __m512 page, Factors f) {
  return _mm512_fmadd_ps(page, _mm512_set1_ps(f.take), _mm512_mul_ps(old, _mm512_set1_ps(f.keep)));
}

// sums[R][16 * C dims] += weights[R][256] * V[keys][head_dim]; `first`: they begin at 0.
template <int R, int C, class V>
[[gnu::always_inline]] inline void add_values(const float* weights, const V* v, int keys, int head_dim, bool first, float* sums) {
  __m512 sum[R][C];
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int i = 0; i < C; ++i) sum[r][i] = first ? _mm512_setzero_ps() : _mm512_load_ps(sums + r * kMostHeadDim + 16 * i);
  for (int key = 0; key < keys; ++key, v += head_dim) {
    __m512 values[C];
#pragma GCC unroll 4
    for (int i = 0; i < C; ++i) values[i] = load16(v + 16 * i);
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const __m512 weight = _mm512_set1_ps(weights[r * kKvPageTokens + key]);
#pragma GCC unroll 4
      for (int i = 0; i < C; ++i) sum[r][i] = _mm512_fmadd_ps(values[i], weight, sum[r][i]);
    }
  }
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int i = 0; i < C; ++i) _mm512_store_ps(sums + r * kMostHeadDim + 16 * i, sum[r][i]);
}

template <int R, class K, class V>
void do_rows(const PageRows<K, V>& part) {
  const AttentionArgs& args = part.block.args;
  const Scratch& s = part.block.s;
  const int head_dim = args.head_dim;
  alignas(64) float q[R * kMostHeadDim], scores[R * kKvPageTokens], sums[R * kMostHeadDim];
  for (int r = 0; r < R; ++r)
    for (int d = 0; d < head_dim; d += 16)
      _mm512_store_ps(q + r * kMostHeadDim + d, _mm512_mul_ps(_mm512_loadu_ps(s.q[part.row + r] + d), _mm512_set1_ps(args.scale)));
  constexpr int kTogether = R > 6 ? 2 : 4;  // 24 sums of the 32 registers
  for (int begin = 0; begin < part.keys; begin += K::kPart) {
    const int keys = part.keys - begin < K::kPart ? part.keys - begin : K::kPart;
    const auto* k = part.k.part(begin, keys);
    int first = 0;
    for (; first + 16 * kTogether <= (keys + 15) / 16 * 16; first += 16 * kTogether)
      score_groups<R, kTogether>(q, k + first * head_dim, head_dim, scores + begin + first);
    for (; first < keys; first += 16) score_groups<R, 1>(q, k + first * head_dim, head_dim, scores + begin + first);
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
    int d = 0;
    for (; d + 16 * kTogether <= head_dim; d += 16 * kTogether) add_values<R, kTogether>(scores + begin, v + d, keys, head_dim, begin == 0, sums + d);
    for (; d < head_dim; d += 16) add_values<R, 1>(scores + begin, v + d, keys, head_dim, begin == 0, sums + d);
  }
  for (int r = 0; r < R; ++r)
    for (int d = 0; d < head_dim; d += 16) {
      const __m512 sum = _mm512_load_ps(sums + r * kMostHeadDim + d);
      _mm512_storeu_ps(to[r] + d, f ? join16(_mm512_loadu_ps(to[r] + d), sum, f[r]) : sum);
    }
}

struct Avx512 {
  // A page widened to f32 comes from the second-level cache: 12 rows halve the passes over it.
  static constexpr int kRowsTogether = 12;
  static void widen_keys(KvType type, const void* rows, int keys, int head_dim, float* out) { kernels::widen_keys(type, rows, keys, head_dim, out); }
  static void widen_values(KvType type, const void* rows, std::int64_t n, float* out) { kernels::widen_values(type, rows, n, out); }
  template <int R, class K, class V>
  static void do_rows(const PageRows<K, V>& part) {
    kernels::do_rows<R>(part);
  }
  static void join(const Scratch& s, int row, float maximum, float total, const float* page_sums, int head_dim) {
    const Factors f = join_totals(s.maximum[row], s.total[row], maximum, total);
    float* sums = s.sums + row * head_dim;
    for (int d = 0; d < head_dim; d += 16) _mm512_store_ps(sums + d, join16(_mm512_load_ps(sums + d), _mm512_loadu_ps(page_sums + d), f));
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
void avx512_store_key(KvType type, const float* x, void* group, int slot, std::int64_t n) {
  if (type != KvType::f16) return store_quantized_key(type, x, group, slot, n);
  auto* out = static_cast<std::uint16_t*>(group) + slot;
  for (std::int64_t i = 0; i < n; ++i) out[i * kKvGroup] = _cvtss_sh(x[i], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

void avx512_attention(const AttentionArgs& args, int kv_head_begin, int kv_head_end) { attend<Avx512>(args, kv_head_begin, kv_head_end); }
void avx512_attention_merge(const AttentionArgs& args, int kv_head_begin, int kv_head_end) { merge<Avx512>(args, kv_head_begin, kv_head_end); }

}  // namespace codicil::kernels
