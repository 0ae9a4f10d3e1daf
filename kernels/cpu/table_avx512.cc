// The avx512 and amx tables (they differ in quantized matmul only) and their ops over single rows and vectors.
//
// Tails shorter than a vector are done with masks, so a value's result does not depend on where it lies in its row.
#include "kernels/cpu/avx512.h"
#include "kernels/cpu/delta_blocks.h"
#include "kernels/cpu/packed.h"
#include "kernels/cpu/tables.h"

namespace codicil::kernels {
namespace {

[[gnu::always_inline]] inline __mmask16 lanes(std::int64_t left) { return static_cast<__mmask16>(left >= 16 ? 0xffff : (1 << left) - 1); }

void prepare(Type type, const float* x, std::int64_t x_stride, const Activations& out, std::int64_t begin, std::int64_t end) {
  if (is_float(type)) return reference_prepare(type, x, x_stride, out, begin, end);
  avx512_prepare_quantized(type, x, x_stride, out, begin, end);
}

void matmul(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end) {
  if (is_float(w.type)) return avx512_matmul_float(w, x, out, out_stride, row_begin, row_end);
  avx512_matmul_quantized(w, x, 0, out, out_stride, row_begin, row_end);
}

void matmul_with_amx(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end) {
  if (is_float(w.type)) return avx512_matmul_float(w, x, out, out_stride, row_begin, row_end);
  amx_matmul_quantized(w, x, out, out_stride, row_begin, row_end);
}

void rms_norm(const float* x, const float* weight, float eps, float* out, std::int64_t n) {
  __m512 sums[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
  for (std::int64_t i = 0; i < n; i += 16) {
    const __m512 v = _mm512_maskz_loadu_ps(lanes(n - i), x + i);
    __m512& sum = sums[(i >> 4) & 1];
    sum = _mm512_fmadd_ps(v, v, sum);
  }
  const double sum = _mm512_reduce_add_pd(_mm512_add_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_add_ps(sums[0], sums[1]))),
                                                        _mm512_cvtps_pd(_mm512_extractf32x8_ps(_mm512_add_ps(sums[0], sums[1]), 1))));
  const auto scale = static_cast<float>(1.0 / __builtin_sqrt(sum / static_cast<double>(n) + eps));
  const __m512 factor = _mm512_set1_ps(scale);
  for (std::int64_t i = 0; i < n; i += 16) {
    const __mmask16 m = lanes(n - i);
    const __m512 v = _mm512_mul_ps(_mm512_mul_ps(_mm512_maskz_loadu_ps(m, x + i), factor), _mm512_maskz_loadu_ps(m, weight + i));
    _mm512_mask_storeu_ps(out + i, m, v);
  }
}

void add(float* x, const float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 16) {
    const __mmask16 m = lanes(n - i);
    _mm512_mask_storeu_ps(x + i, m, _mm512_add_ps(_mm512_maskz_loadu_ps(m, x + i), _mm512_maskz_loadu_ps(m, y + i)));
  }
}

void silu_mul(float* gate, const float* up, std::int64_t n) {
  const __m512 one = _mm512_set1_ps(1.0f);
  for (std::int64_t i = 0; i < n; i += 16) {
    const __mmask16 m = lanes(n - i);
    const __m512 g = _mm512_maskz_loadu_ps(m, gate + i);
    const __m512 silu = _mm512_div_ps(g, _mm512_add_ps(one, exp_ps(_mm512_sub_ps(_mm512_setzero_ps(), g))));
    _mm512_mask_storeu_ps(gate + i, m, _mm512_mul_ps(silu, _mm512_maskz_loadu_ps(m, up + i)));
  }
}

void add_scaled(float* x, const float* y, float scale, std::int64_t n) {
  const __m512 factor = _mm512_set1_ps(scale);
  for (std::int64_t i = 0; i < n; i += 16) {
    const __mmask16 m = lanes(n - i);
    _mm512_mask_storeu_ps(x + i, m, _mm512_fmadd_ps(factor, _mm512_maskz_loadu_ps(m, y + i), _mm512_maskz_loadu_ps(m, x + i)));
  }
}

void sigmoid_mul(float* x, const float* gate, std::int64_t n) {
  const __m512 one = _mm512_set1_ps(1.0f);
  for (std::int64_t i = 0; i < n; i += 16) {
    const __mmask16 m = lanes(n - i);
    const __m512 down = _mm512_add_ps(one, exp_ps(_mm512_sub_ps(_mm512_setzero_ps(), _mm512_maskz_loadu_ps(m, gate + i))));
    _mm512_mask_storeu_ps(x + i, m, _mm512_div_ps(_mm512_maskz_loadu_ps(m, x + i), down));
  }
}

void conv_silu(const float* taps, const float* const* rows, int kernel, float* out, std::int64_t n) {
  const __m512 one = _mm512_set1_ps(1.0f);
  for (std::int64_t i = 0; i < n; i += 16) {
    const __mmask16 m = lanes(n - i);
    __m512 sum = _mm512_setzero_ps();
    for (int j = 0; j < kernel; ++j) sum = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(m, taps + j * n + i), _mm512_maskz_loadu_ps(m, rows[j] + i), sum);
    _mm512_mask_storeu_ps(out + i, m, _mm512_div_ps(sum, _mm512_add_ps(one, exp_ps(_mm512_sub_ps(_mm512_setzero_ps(), sum)))));
  }
}

void delta_rule(const DeltaArgs& args) { delta_rule_by_columns<16, 4>(args); }

void rope(RopeKind kind, float* x, int heads, int head_dim, int rope_dims, const float* cos_sin) {
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odd = _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
  const __m512i low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const __m512i high = _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8);
  const int pairs = rope_dims / 2;
  for (int first = 0; first < pairs; first += 16) {
    const int left = pairs - first;
    const __mmask16 m = lanes(left), m0 = lanes(2 * left), m1 = left > 8 ? lanes(2 * left - 16) : static_cast<__mmask16>(0);
    const __m512 angle0 = _mm512_maskz_loadu_ps(m0, cos_sin + 2 * first), angle1 = _mm512_maskz_loadu_ps(m1, cos_sin + 2 * first + 16);
    const __m512 c = _mm512_permutex2var_ps(angle0, even, angle1), s = _mm512_permutex2var_ps(angle0, odd, angle1);
    for (int h = 0; h < heads; ++h) {
      float* head = x + static_cast<std::int64_t>(h) * head_dim;
      if (kind == RopeKind::neox) {
        const __m512 a = _mm512_maskz_loadu_ps(m, head + first), b = _mm512_maskz_loadu_ps(m, head + first + pairs);
        _mm512_mask_storeu_ps(head + first, m, _mm512_fmsub_ps(a, c, _mm512_mul_ps(b, s)));
        _mm512_mask_storeu_ps(head + first + pairs, m, _mm512_fmadd_ps(a, s, _mm512_mul_ps(b, c)));
      } else {
        float* p = head + 2 * first;
        const __m512 x0 = _mm512_maskz_loadu_ps(m0, p), x1 = _mm512_maskz_loadu_ps(m1, p + 16);
        const __m512 a = _mm512_permutex2var_ps(x0, even, x1), b = _mm512_permutex2var_ps(x0, odd, x1);
        const __m512 ra = _mm512_fmsub_ps(a, c, _mm512_mul_ps(b, s)), rb = _mm512_fmadd_ps(a, s, _mm512_mul_ps(b, c));
        _mm512_mask_storeu_ps(p, m0, _mm512_permutex2var_ps(ra, low, rb));
        _mm512_mask_storeu_ps(p + 16, m1, _mm512_permutex2var_ps(ra, high, rb));
      }
    }
  }
}

void to_f16(const float* x, std::uint16_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 16) {
    const __mmask16 m = lanes(n - i);
    _mm256_mask_storeu_epi16(out + i, m, _mm512_cvtps_ph(_mm512_maskz_loadu_ps(m, x + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
}

void store_kv(KvType type, const float* x, void* row, std::int64_t n) {
  if (type == KvType::f16) return to_f16(x, static_cast<std::uint16_t*>(row), n);
  avx512_store_quantized(type, x, row, n);
}

void from_f16(const std::uint16_t* x, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 16) {
    const __mmask16 m = lanes(n - i);
    _mm512_mask_storeu_ps(out + i, m, _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(m, x + i)));
  }
}

float largest(const float* x, std::int64_t n) {
  const __m512 floor = _mm512_set1_ps(-__builtin_inff());
  __m512 a = floor, b = floor;
  for (std::int64_t i = 0; i < n; i += 32) {
    a = _mm512_max_ps(a, _mm512_mask_loadu_ps(floor, lanes(n - i), x + i));
    if (n - i > 16) b = _mm512_max_ps(b, _mm512_mask_loadu_ps(floor, lanes(n - i - 16), x + i + 16));
  }
  return _mm512_reduce_max_ps(_mm512_max_ps(a, b));
}

std::int64_t argmax(const float* x, std::int64_t n) {
  const __m512 maximum = _mm512_set1_ps(largest(x, n));
  for (std::int64_t i = 0; i < n; i += 16) {
    const __mmask16 m = lanes(n - i);
    const __mmask16 hit = _mm512_mask_cmp_ps_mask(m, _mm512_maskz_loadu_ps(m, x + i), maximum, _CMP_EQ_OQ);
    if (hit) return i + __builtin_ctz(hit);
  }
  return 0;  // only NaN
}

double log_sum_exp(const float* x, std::int64_t n) {
  const float top = largest(x, n);
  const __m512 maximum = _mm512_set1_ps(top);
  __m512d a = _mm512_setzero_pd(), b = _mm512_setzero_pd();
  for (std::int64_t i = 0; i < n; i += 16) {
    const __mmask16 m = lanes(n - i);
    const __m512 e = _mm512_maskz_mov_ps(m, exp_ps(_mm512_sub_ps(_mm512_maskz_loadu_ps(m, x + i), maximum)));
    a = _mm512_add_pd(a, _mm512_cvtps_pd(_mm512_castps512_ps256(e)));
    b = _mm512_add_pd(b, _mm512_cvtps_pd(_mm512_extractf32x8_ps(e, 1)));
  }
  return top + __builtin_log(_mm512_reduce_add_pd(_mm512_add_pd(a, b)));
}

constexpr Ops kOps = {
    "avx512",
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
    avx512_hadamard,
    store_kv,
    avx512_store_key,
    avx512_attention_scratch_bytes,
    avx512_attention,
    avx512_attention_merge,
    delta_rule,
    log_sum_exp,
    argmax,
};

constexpr Ops with_amx(Ops ops) {
  ops.name = "amx";
  ops.matmul = matmul_with_amx;
  return ops;
}

}  // namespace

// constinit: nothing of this file may run before find_cpu() has asked the machine, an initializer of a table included.
constinit const Ops kAvx512Ops = kOps;
constinit const Ops kAmxOps = with_amx(kOps);

}  // namespace codicil::kernels
