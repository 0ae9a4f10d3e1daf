// The reference table and its ops over single rows and vectors: scalar, readable, the judge of every other table.
//
// Sums that a fast table may order differently are accumulated in f64 here.
#include <cmath>

#include "kernels/reference/formats.h"

namespace codicil::kernels {
namespace {

void rms_norm(const float* x, const float* weight, float eps, float* out, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * x[i];
  const auto scale = static_cast<float>(1.0 / std::sqrt(sum / static_cast<double>(n) + eps));
  for (std::int64_t i = 0; i < n; ++i) out[i] = x[i] * scale * weight[i];
}

void add(float* x, const float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) x[i] += y[i];
}

void silu_mul(float* gate, const float* up, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const double g = gate[i];
    gate[i] = static_cast<float>(g / (1.0 + std::exp(-g)) * up[i]);
  }
}

void add_scaled(float* x, const float* y, float scale, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) x[i] += scale * y[i];
}

void sigmoid_mul(float* x, const float* gate, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(x[i] / (1.0 + std::exp(-static_cast<double>(gate[i]))));
}

void conv_silu(const float* taps, const float* const* rows, int kernel, float* out, std::int64_t n) {
  for (std::int64_t c = 0; c < n; ++c) {
    double sum = 0;
    for (int j = 0; j < kernel; ++j) sum += static_cast<double>(taps[j * n + c]) * rows[j][c];
    out[c] = static_cast<float>(sum / (1.0 + std::exp(-sum)));
  }
}

void rope(RopeKind kind, float* x, int heads, int head_dim, int rope_dims, const float* cos_sin) {
  const int pairs = rope_dims / 2;
  for (int h = 0; h < heads; ++h) {
    float* head = x + static_cast<std::int64_t>(h) * head_dim;
    for (int i = 0; i < pairs; ++i) {
      float& a = head[kind == RopeKind::interleaved ? 2 * i : i];
      float& b = head[kind == RopeKind::interleaved ? 2 * i + 1 : i + pairs];
      const float c = cos_sin[2 * i], s = cos_sin[2 * i + 1];
      const float first = a, second = b;
      a = first * c - second * s;
      b = first * s + second * c;
    }
  }
}

void to_f16(const float* x, std::uint16_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = float_to_half(x[i]);
}

void from_f16(const std::uint16_t* x, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = half_to_float(x[i]);
}

std::int64_t argmax(const float* x, std::int64_t n) {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < n; ++i)
    if (x[i] > x[best]) best = i;
  return best;
}

double log_sum_exp(const float* x, std::int64_t n) {
  const double maximum = x[argmax(x, n)];
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::exp(x[i] - maximum);
  return maximum + std::log(sum);
}

constexpr Ops kReference = {
    "reference",
    reference_packed_bytes,
    reference_pack,
    1,
    reference_activation_bytes,
    reference_prepare,
    reference_matmul,
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
    reference_hadamard,
    reference_store_kv,
    reference_store_key,
    reference_attention_scratch_bytes,
    reference_attention,
    reference_attention_merge,
    reference_delta_rule,
    log_sum_exp,
    argmax,
};

}  // namespace

const Ops& reference() { return kReference; }

}  // namespace codicil::kernels
