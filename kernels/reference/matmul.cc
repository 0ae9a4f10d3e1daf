// What matmul means: weights stay as GGUF bytes, activations of quantized weights become int8 blocks, sums go in column order.
//
// Owns: pack (a copy), prepare (the quantization of activations), matmul. The order of the arithmetic here is the specification:
// for float weights one fused multiply-add per column, for quantized weights one per scale (and one per minimum).
#include <cmath>

#include "kernels/reference/formats.h"

namespace codicil::kernels {
namespace {

float dot_float(Type type, const std::uint8_t* row, const float* x, std::int64_t cols) {
  float sum = 0;
  float w;
  for (std::int64_t c = 0; c < cols; ++c) {
    reference_dequantize_row(type, row + c * (type == Type::f32 ? 4 : 2), &w, 1);
    sum = std::fmaf(w, x[c], sum);
  }
  return sum;
}

float dot_quantized(Type type, const std::uint8_t* row, const ActivationBlock* x, std::int64_t cols) {
  const QuantTraits traits = quant_traits(type);
  float sum = 0;
  WeightBlock w;
  for (std::int64_t b = 0; b < cols / kBlock; ++b) {
    decode_block(type, row, b, w);
    std::int32_t half[2] = {0, 0};
    for (int i = 0; i < 32; ++i) half[i / 16] += traits.value(w.codes[i]) * x[b].q[i];
    if (traits.halves) {
      sum = std::fmaf(static_cast<float>(half[0]), w.scale[0] * x[b].scale, sum);
      sum = std::fmaf(static_cast<float>(half[1]), w.scale[1] * x[b].scale, sum);
    } else {
      sum = std::fmaf(static_cast<float>(half[0] + half[1]), w.scale[0] * x[b].scale, sum);
    }
    if (traits.minima && traits.halves) {
      for (int h = 0; h < 2; ++h) sum = std::fmaf(w.minimum[h], -x[b].scale * static_cast<float>(x[b].bias[h]), sum);
    } else if (traits.minima) {
      sum = std::fmaf(w.minimum[0], x[b].scaled_sum, sum);
    }
  }
  return sum;
}

void quantize_block(const QuantTraits& traits, const float* x, ActivationBlock& out) {
  float largest = 0;
  for (int i = 0; i < 32; ++i) largest = std::fmax(largest, std::fabs(x[i]));
  // A block of (almost) nothing is nothing: the inverse of a smaller maximum would overflow to infinity.
  const bool empty = !(largest > 1e-35f);
  const float inverse = empty ? 0.0f : 127.0f / largest;
  out.scale = empty ? 0.0f : largest / 127.0f;
  std::int32_t sum[2] = {0, 0};
  for (int i = 0; i < 32; ++i) {
    out.q[i] = static_cast<std::int8_t>(std::lrintf(x[i] * inverse));
    sum[i / 16] += out.q[i];
  }
  out.bias[0] = -traits.offset * (traits.halves ? sum[0] : sum[0] + sum[1]);
  out.bias[1] = traits.halves ? -traits.offset * sum[1] : 0;
  out.scaled_sum = out.scale * static_cast<float>(sum[0] + sum[1]);
}

}  // namespace

std::size_t reference_packed_bytes(Type type, std::int64_t rows, std::int64_t cols) {
  if (!is_float(type) && !is_quantized(type)) return 0;
  return static_cast<std::size_t>(rows * row_bytes(type, cols));
}

void reference_pack(Type type, const void* gguf, std::int64_t, std::int64_t cols, void* packed, std::int64_t begin, std::int64_t end) {
  const std::int64_t stride = row_bytes(type, cols);
  std::memcpy(static_cast<std::uint8_t*>(packed) + begin * stride, static_cast<const std::uint8_t*>(gguf) + begin * stride,
              static_cast<std::size_t>((end - begin) * stride));
}

std::size_t reference_activation_bytes(Type weight_type, std::int64_t tokens, std::int64_t cols) {
  if (is_float(weight_type)) return static_cast<std::size_t>(tokens * cols) * sizeof(float);
  return static_cast<std::size_t>(tokens * (cols / kBlock)) * sizeof(ActivationBlock);
}

void reference_prepare(Type weight_type, const float* x, std::int64_t x_stride, const Activations& out, std::int64_t begin, std::int64_t end) {
  const std::int64_t cols = out.cols;
  for (std::int64_t t = begin; t < end; ++t) {
    if (is_float(weight_type)) {
      std::memcpy(static_cast<float*>(out.data) + t * cols, x + t * x_stride, static_cast<std::size_t>(cols) * sizeof(float));
      continue;
    }
    const QuantTraits traits = quant_traits(weight_type);
    ActivationBlock* blocks = static_cast<ActivationBlock*>(out.data) + t * (cols / kBlock);
    for (std::int64_t b = 0; b < cols / kBlock; ++b) quantize_block(traits, x + t * x_stride + b * kBlock, blocks[b]);
  }
}

void reference_matmul(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t stride = row_bytes(w.type, w.cols);
  for (std::int64_t r = row_begin; r < row_end; ++r) {
    const std::uint8_t* row = static_cast<const std::uint8_t*>(w.data) + r * stride;
    for (std::int64_t t = 0; t < x.tokens; ++t) {
      out[t * out_stride + r] = is_float(w.type)
                                    ? dot_float(w.type, row, static_cast<const float*>(x.data) + t * w.cols, w.cols)
                                    : dot_quantized(w.type, row, static_cast<const ActivationBlock*>(x.data) + t * (w.cols / kBlock), w.cols);
    }
  }
}

}  // namespace codicil::kernels
