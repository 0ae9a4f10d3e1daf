// What the translation units of the avx2 table share. Include only from files ending in _avx2.cc: everything here is compiled for
// AVX2 and always inlined, so that no copy of it can be linked into code for lesser machines.
#pragma once

#include <immintrin.h>

#include "kernels/kernels.h"

namespace codicil::kernels {

void avx2_prepare_quantized(Type type, const float* x, std::int64_t x_stride, const Activations& out, std::int64_t begin, std::int64_t end);
void avx2_matmul_quantized(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end);
void avx2_matmul_float(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end);
std::size_t avx2_attention_scratch_bytes(int heads, int kv_heads, int head_dim, std::int64_t page_tokens);
void avx2_attention(const AttentionArgs& args, int kv_head_begin, int kv_head_end);
void avx2_attention_merge(const AttentionArgs& args, int kv_head_begin, int kv_head_end);
void avx2_hadamard(float* x, std::int64_t n);
void avx2_store_quantized(KvType type, const float* x, void* row, std::int64_t n);
void avx2_store_key(KvType type, const float* x, void* group, int slot, std::int64_t n);

namespace {

// 8 f16 from memory as f32.
[[gnu::always_inline, maybe_unused]] inline __m256 load_halves(const void* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(p)));
}

// Lanes 0 .. left - 1 set, for maskload and maskstore.
[[gnu::always_inline, maybe_unused]] inline __m256i lanes(std::int64_t left) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(left >= 8 ? 8 : static_cast<int>(left)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

[[gnu::always_inline, maybe_unused]] inline float reduce_max(__m256 v) {
  __m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  m = _mm_max_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_max_ss(m, _mm_shuffle_ps(m, m, 1)));
}

[[gnu::always_inline, maybe_unused]] inline float reduce_add(__m256 v) {
  __m128 m = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  m = _mm_add_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_add_ss(m, _mm_shuffle_ps(m, m, 1)));
}

// e^x for x <= 88, 0 below -87.3 (the smallest normal number). Relative error below 2e-7: x = n ln 2 + r, then a polynomial of
// degree 6 in r (coefficients of the Cephes expf), then times 2^n put together from bits.
[[gnu::always_inline, maybe_unused]] inline __m256 exp_ps(__m256 x) {
  const __m256 live = _mm256_cmp_ps(x, _mm256_set1_ps(-87.3f), _CMP_GE_OQ);
  x = _mm256_max_ps(_mm256_min_ps(x, _mm256_set1_ps(88.3f)), _mm256_set1_ps(-87.3f));
  const __m256 n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504088896341f)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375f), x);
  r = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4f), r);
  __m256 p = _mm256_set1_ps(1.9875691500e-4f);
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.3981999507e-3f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(8.3334519073e-3f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(4.1665795894e-2f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.6666665459e-1f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(5.0000001201e-1f));
  p = _mm256_add_ps(_mm256_fmadd_ps(_mm256_mul_ps(r, r), p, r), _mm256_set1_ps(1.0f));
  const __m256i power = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
  return _mm256_and_ps(live, _mm256_mul_ps(p, _mm256_castsi256_ps(power)));
}

}  // namespace

}  // namespace codicil::kernels
