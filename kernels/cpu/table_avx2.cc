// The avx2 table and its ops over single rows and vectors.
//
// Tails shorter than a vector are done with masked loads and stores, so a value's result does not depend on where it lies in its row.
#include "kernels/cpu/avx2.h"
#include "kernels/cpu/delta_blocks.h"
#include "kernels/cpu/packed.h"
#include "kernels/cpu/tables.h"

namespace codicil::kernels {
namespace {

void prepare(Type type, const float* x, std::int64_t x_stride, const Activations& out, std::int64_t begin, std::int64_t end) {
  if (is_float(type)) return reference_prepare(type, x, x_stride, out, begin, end);
  avx2_prepare_quantized(type, x, x_stride, out, begin, end);
}

void matmul(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end) {
  if (is_float(w.type)) return avx2_matmul_float(w, x, out, out_stride, row_begin, row_end);
  avx2_matmul_quantized(w, x, out, out_stride, row_begin, row_end);
}

[[gnu::always_inline]] inline __m256d widen_low(__m256 v) { return _mm256_cvtps_pd(_mm256_castps256_ps128(v)); }
[[gnu::always_inline]] inline __m256d widen_high(__m256 v) { return _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)); }
[[gnu::always_inline]] inline double add_lanes(__m256d v) {
  const __m128d s = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
  return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}

void rms_norm(const float* x, const float* weight, float eps, float* out, std::int64_t n) {
  __m256 sums[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
  for (std::int64_t i = 0; i < n; i += 8) {
    const __m256 v = _mm256_maskload_ps(x + i, lanes(n - i));
    __m256& sum = sums[(i >> 3) & 3];
    sum = _mm256_fmadd_ps(v, v, sum);
  }
  const __m256 all = _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3]));
  const double sum = add_lanes(_mm256_add_pd(widen_low(all), widen_high(all)));
  const __m256 factor = _mm256_set1_ps(static_cast<float>(1.0 / __builtin_sqrt(sum / static_cast<double>(n) + eps)));
  for (std::int64_t i = 0; i < n; i += 8) {
    const __m256i m = lanes(n - i);
    _mm256_maskstore_ps(out + i, m, _mm256_mul_ps(_mm256_mul_ps(_mm256_maskload_ps(x + i, m), factor), _mm256_maskload_ps(weight + i, m)));
  }
}

void add(float* x, const float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 8) {
    const __m256i m = lanes(n - i);
    _mm256_maskstore_ps(x + i, m, _mm256_add_ps(_mm256_maskload_ps(x + i, m), _mm256_maskload_ps(y + i, m)));
  }
}

void silu_mul(float* gate, const float* up, std::int64_t n) {
  const __m256 one = _mm256_set1_ps(1.0f);
  for (std::int64_t i = 0; i < n; i += 8) {
    const __m256i m = lanes(n - i);
    const __m256 g = _mm256_maskload_ps(gate + i, m);
    const __m256 silu = _mm256_div_ps(g, _mm256_add_ps(one, exp_ps(_mm256_sub_ps(_mm256_setzero_ps(), g))));
    _mm256_maskstore_ps(gate + i, m, _mm256_mul_ps(silu, _mm256_maskload_ps(up + i, m)));
  }
}

void add_scaled(float* x, const float* y, float scale, std::int64_t n) {
  const __m256 factor = _mm256_set1_ps(scale);
  for (std::int64_t i = 0; i < n; i += 8) {
    const __m256i m = lanes(n - i);
    _mm256_maskstore_ps(x + i, m, _mm256_fmadd_ps(factor, _mm256_maskload_ps(y + i, m), _mm256_maskload_ps(x + i, m)));
  }
}

void sigmoid_mul(float* x, const float* gate, std::int64_t n) {
  const __m256 one = _mm256_set1_ps(1.0f);
  for (std::int64_t i = 0; i < n; i += 8) {
    const __m256i m = lanes(n - i);
    const __m256 down = _mm256_add_ps(one, exp_ps(_mm256_sub_ps(_mm256_setzero_ps(), _mm256_maskload_ps(gate + i, m))));
    _mm256_maskstore_ps(x + i, m, _mm256_div_ps(_mm256_maskload_ps(x + i, m), down));
  }
}

void conv_silu(const float* taps, const float* const* rows, int kernel, float* out, std::int64_t n) {
  const __m256 one = _mm256_set1_ps(1.0f);
  for (std::int64_t i = 0; i < n; i += 8) {
    const __m256i m = lanes(n - i);
    __m256 sum = _mm256_setzero_ps();
    for (int j = 0; j < kernel; ++j) sum = _mm256_fmadd_ps(_mm256_maskload_ps(taps + j * n + i, m), _mm256_maskload_ps(rows[j] + i, m), sum);
    _mm256_maskstore_ps(out + i, m, _mm256_div_ps(sum, _mm256_add_ps(one, exp_ps(_mm256_sub_ps(_mm256_setzero_ps(), sum)))));
  }
}

void delta_rule(const DeltaArgs& args) { delta_rule_by_columns<8, 4>(args); }

// Rotating is a small part of the work: neighbours by plain code, halves by the compiler's own vectors.
void rope(RopeKind kind, float* x, int heads, int head_dim, int rope_dims, const float* cos_sin) {
  const int pairs = rope_dims / 2;
  const int step = kind == RopeKind::interleaved ? 2 : 1, apart = kind == RopeKind::interleaved ? 1 : pairs;
  for (int h = 0; h < heads; ++h) {
    float* head = x + static_cast<std::int64_t>(h) * head_dim;
    for (int i = 0; i < pairs; ++i) {
      const float a = head[i * step], b = head[i * step + apart], c = cos_sin[2 * i], s = cos_sin[2 * i + 1];
      head[i * step] = a * c - b * s;
      head[i * step + apart] = a * s + b * c;
    }
  }
}

void to_f16(const float* x, std::uint16_t* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  for (; i < n; ++i) out[i] = float_to_half(x[i]);
}

void store_kv(KvType type, const float* x, void* row, std::int64_t n) {
  if (type == KvType::f16) return to_f16(x, static_cast<std::uint16_t*>(row), n);
  avx2_store_quantized(type, x, row, n);
}

void from_f16(const std::uint16_t* x, float* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(out + i, load_halves(x + i));
  for (; i < n; ++i) out[i] = half_to_float(x[i]);
}

[[gnu::always_inline]] inline __m256 load_or(const float* x, std::int64_t left, __m256 otherwise) {
  const __m256i m = lanes(left);
  return _mm256_blendv_ps(otherwise, _mm256_maskload_ps(x, m), _mm256_castsi256_ps(m));
}

float largest(const float* x, std::int64_t n) {
  const __m256 floor = _mm256_set1_ps(-__builtin_inff());
  __m256 a = floor, b = floor;
  for (std::int64_t i = 0; i < n; i += 16) {
    a = _mm256_max_ps(a, load_or(x + i, n - i, floor));
    if (n - i > 8) b = _mm256_max_ps(b, load_or(x + i + 8, n - i - 8, floor));
  }
  return reduce_max(_mm256_max_ps(a, b));
}

std::int64_t argmax(const float* x, std::int64_t n) {
  const __m256 maximum = _mm256_set1_ps(largest(x, n));
  for (std::int64_t i = 0; i < n; i += 8) {
    const __m256i m = lanes(n - i);
    const __m256 equal = _mm256_cmp_ps(_mm256_maskload_ps(x + i, m), maximum, _CMP_EQ_OQ);
    const int hit = _mm256_movemask_ps(_mm256_and_ps(equal, _mm256_castsi256_ps(m)));
    if (hit) return i + __builtin_ctz(static_cast<unsigned>(hit));
  }
  return 0;  // only NaN
}

double log_sum_exp(const float* x, std::int64_t n) {
  const float top = largest(x, n);
  const __m256 maximum = _mm256_set1_ps(top);
  __m256d a = _mm256_setzero_pd(), b = _mm256_setzero_pd();
  for (std::int64_t i = 0; i < n; i += 8) {
    const __m256i m = lanes(n - i);
    const __m256 e = _mm256_and_ps(_mm256_castsi256_ps(m), exp_ps(_mm256_sub_ps(_mm256_maskload_ps(x + i, m), maximum)));
    a = _mm256_add_pd(a, widen_low(e));
    b = _mm256_add_pd(b, widen_high(e));
  }
  return top + __builtin_log(add_lanes(_mm256_add_pd(a, b)));
}

}  // namespace

const Ops kAvx2Ops = {
    "avx2",
    cpu_packed_bytes,
    cpu_pack,
    kGroupRows,
    reference_activation_bytes,
    prepare,
    matmul,
    reference_dequantize_row,
    rms_norm,
    add,
    silu_mul,
    add_scaled,
    sigmoid_mul,
    conv_silu,
    rope,
    to_f16,
    from_f16,
    avx2_hadamard,
    store_kv,
    avx2_store_key,
    avx2_attention_scratch_bytes,
    avx2_attention,
    avx2_attention_merge,
    delta_rule,
    log_sum_exp,
    argmax,
};

}  // namespace codicil::kernels
