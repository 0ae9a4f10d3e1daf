// What the translation units of the avx512 table share. Include only from files ending in _avx512.cc: everything here is compiled
// for AVX-512 and always inlined, so that no copy of it can be linked into code for lesser machines.
#pragma once

// GCC's own intrinsics begin from a register that is deliberately undefined, and GCC warns of it.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>

#include "kernels/kernels.h"

namespace codicil::kernels {

void avx512_prepare_quantized(Type type, const float* x, std::int64_t x_stride, const Activations& out, std::int64_t begin, std::int64_t end);
// Tokens [first_token, x.tokens); first_token is a multiple of kTokenGroup.
void avx512_matmul_quantized(const Weights& w, const Activations& x, std::int64_t first_token, float* out, std::int64_t out_stride,
                             std::int64_t row_begin, std::int64_t row_end);
void amx_matmul_quantized(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end);
void avx512_matmul_float(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end);
std::size_t avx512_attention_scratch_bytes(int heads, int kv_heads, int head_dim, std::int64_t page_tokens);
void avx512_attention(const AttentionArgs& args, int kv_head_begin, int kv_head_end);
void avx512_attention_merge(const AttentionArgs& args, int kv_head_begin, int kv_head_end);
void avx512_hadamard(float* x, std::int64_t n);
void avx512_store_quantized(KvType type, const float* x, void* row, std::int64_t n);
void avx512_store_key(KvType type, const float* x, void* group, int slot, std::int64_t n);

namespace {

// 16 f16 from memory as f32.
[[gnu::always_inline, maybe_unused]] inline __m512 load_halves(const void* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(p)));
}

// e^x for x <= 88, 0 below -87.3 (the smallest normal number). Relative error below 2e-7: x = n ln 2 + r, then a polynomial of
// degree 6 in r (coefficients of the Cephes expf), then times 2^n.
[[gnu::always_inline, maybe_unused]] inline __m512 exp_ps(__m512 x) {
  const __mmask16 live = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-87.3f), _CMP_GE_OQ);
  x = _mm512_min_ps(x, _mm512_set1_ps(88.7f));
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504088896341f)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375f), x);
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-2.12194440e-4f), r);
  __m512 p = _mm512_set1_ps(1.9875691500e-4f);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.3981999507e-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(8.3334519073e-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(4.1665795894e-2f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.6666665459e-1f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(5.0000001201e-1f));
  p = _mm512_add_ps(_mm512_fmadd_ps(_mm512_mul_ps(r, r), p, r), _mm512_set1_ps(1.0f));
  return _mm512_maskz_scalef_ps(live, p, n);
}

}  // namespace

}  // namespace codicil::kernels
