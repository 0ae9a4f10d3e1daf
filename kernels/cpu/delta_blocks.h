// The gated delta rule, the same for every instruction set: columns of the state are independent, so a strip of them is taken through all
// tokens while it lies in the first-level cache (128 keys x 64 columns are 32 KiB).
//
// One pass over the strip reads S^T k and S^T q together, because out = decay (S^T q) + (k . q) change (no second read of the new state);
// a second pass writes it. Chunked rules do the same number of multiplications at these sizes and win only where matrix products are faster
// than vectors. Rule: internal linkage, see attention_blocks.h.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/kernels.h"

namespace codicil::kernels {
namespace {

template <int Width>
struct Vector {
  using Type [[gnu::vector_size(Width * sizeof(float))]] = float;
  [[gnu::always_inline]] static Type load(const float* p) {
    Type v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  [[gnu::always_inline]] static void store(float* p, Type v) { std::memcpy(p, &v, sizeof v); }
};

// Columns [first, first + Count * Width) of the state.
template <int Width, int Count>
void delta_strip(const DeltaArgs& args, int first) {
  using V = Vector<Width>;
  using Value = typename V::Type;
  const int keys = args.key_dim;
  const std::int64_t row = args.value_dim;
  float* const state = args.state + first;
  for (std::int64_t t = 0; t < args.tokens; ++t) {
    const float *q = args.q + t * args.qkv_stride, *k = args.k + t * args.qkv_stride, *v = args.v + t * args.qkv_stride + first;
    const float decay = args.decay[t * args.gate_stride], beta = args.beta[t * args.gate_stride];
    Value held[Count] = {}, seen[Count] = {};
    float overlap = 0;
    for (int i = 0; i < keys; ++i) {
      overlap += k[i] * q[i];
#pragma GCC unroll 8
      for (int c = 0; c < Count; ++c) {
        const Value s = V::load(state + i * row + c * Width);
        held[c] += s * k[i];
        seen[c] += s * q[i];
      }
    }
    Value change[Count];
    float* out = args.out + t * args.out_stride + first;
#pragma GCC unroll 8
    for (int c = 0; c < Count; ++c) {
      change[c] = (V::load(v + c * Width) - held[c] * decay) * beta;
      V::store(out + c * Width, seen[c] * decay + change[c] * overlap);
    }
    for (int i = 0; i < keys; ++i) {
#pragma GCC unroll 8
      for (int c = 0; c < Count; ++c) {
        float* s = state + i * row + c * Width;
        V::store(s, V::load(s) * decay + change[c] * k[i]);
      }
    }
  }
}

template <int Width, int Count>
void delta_rule_by_columns(const DeltaArgs& args) {
  int first = 0;
  for (; first + Width * Count <= args.value_dim; first += Width * Count) delta_strip<Width, Count>(args, first);
  for (; first + Width <= args.value_dim; first += Width) delta_strip<Width, 1>(args, first);
  for (; first < args.value_dim; ++first) delta_strip<1, 1>(args, first);
}

}  // namespace
}  // namespace codicil::kernels
