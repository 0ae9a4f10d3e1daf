// The gated delta rule, the same for every instruction set: columns of the state are independent, so a strip of them is taken through all
// tokens while it lies in the first-level cache.
//
// One walk over the strip writes the state of a token and reads S^T k and S^T q of the next, because out = decay (S^T q) + (k . q) change: a number
// is loaded and stored once for each token. A strip of several tokens is first copied together: rows of 512 bytes lie in the same half of a
// cache's sets, and 32 KiB of them do not fit into 48. Chunked rules do the same number of multiplications at these sizes and win only where matrix
// products are faster than vectors. Rules: internal linkage, see attention_blocks.h; tokens one by one give the same bits, so there is one code for both.
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

constexpr std::int64_t kCopyTokens = 4;  // from here on copying a strip there and back costs less than it saves

// Count * Width columns from `first`; state[key_dim] rows `row` floats apart.
template <int Width, int Count>
[[gnu::noinline]] void delta_tokens(const DeltaArgs& args, int first, float* state, std::int64_t row) {
  using V = Vector<Width>;
  using Value = typename V::Type;
  const int keys = args.key_dim;
  const float *q = args.q, *k = args.k;
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
  for (std::int64_t t = 0; t < args.tokens; ++t) {
    const float* v = args.v + t * args.qkv_stride + first;
    const float decay = args.decay[t * args.gate_stride], beta = args.beta[t * args.gate_stride];
    Value change[Count];
    float* out = args.out + t * args.out_stride + first;
#pragma GCC unroll 8
    for (int c = 0; c < Count; ++c) {
      change[c] = (V::load(v + c * Width) - held[c] * decay) * beta;
      V::store(out + c * Width, seen[c] * decay + change[c] * overlap);
      held[c] = seen[c] = Value{};
    }
    overlap = 0;
    // Behind the last token the sums are those of itself and nobody reads them.
    const std::int64_t next = (t + 1 < args.tokens ? t + 1 : t) * args.qkv_stride;
    const float *next_q = args.q + next, *next_k = args.k + next;
    for (int i = 0; i < keys; ++i) {
      overlap += next_k[i] * next_q[i];
#pragma GCC unroll 8
      for (int c = 0; c < Count; ++c) {
        float* at = state + i * row + c * Width;
        const Value s = V::load(at) * decay + change[c] * k[i];
        V::store(at, s);
        held[c] += s * next_k[i];
        seen[c] += s * next_q[i];
      }
    }
    k = next_k;
  }
}

template <int Width, int Count>
void delta_strip(const DeltaArgs& args, int first) {
  constexpr int kColumns = Width * Count;
  float* const state = args.state + first;
  if (args.tokens < kCopyTokens || args.key_dim > kMaxDeltaDim) return delta_tokens<Width, Count>(args, first, state, args.value_dim);
  alignas(64) float strip[kMaxDeltaDim * kColumns];
  const std::size_t bytes = kColumns * sizeof(float);
  for (int i = 0; i < args.key_dim; ++i) std::memcpy(strip + i * kColumns, state + static_cast<std::int64_t>(i) * args.value_dim, bytes);
  delta_tokens<Width, Count>(args, first, strip, kColumns);
  for (int i = 0; i < args.key_dim; ++i) std::memcpy(state + static_cast<std::int64_t>(i) * args.value_dim, strip + i * kColumns, bytes);
}

template <int Width, int Count>
void delta_rule_by_columns(const DeltaArgs& args) {
  if (args.tokens == 0) return;  // there is no first token whose sums could be begun with
  int first = 0;
  for (; first + Width * Count <= args.value_dim; first += Width * Count) delta_strip<Width, Count>(args, first);
  for (; first + Width <= args.value_dim; first += Width) delta_strip<Width, 1>(args, first);
  for (; first < args.value_dim; ++first) delta_strip<1, 1>(args, first);
}

}  // namespace
}  // namespace codicil::kernels
