// One layer of the `qwen2` architecture (Qwen2, Qwen2.5): as `llama`, with a bias on q, k and v, and rotary positions in halves (i, i + n/2).
// Source: Qwen2 technical report, section 2.2.

#include "native/model/forward.h"

namespace codicil::model {

namespace {

void before_attention(const ModelConfig& c, const LayerWeights& w, const Lane& lane) {
  const kernels::Ops& ops = lane.ops;
  const auto q_heads = static_cast<int>(c.heads), kv_heads = static_cast<int>(c.kv_heads), head_dim = static_cast<int>(c.head_dim);

  lane.each_token([&](std::int64_t t) { ops.rms_norm(lane.x + t * c.embedding, w.attn_norm, c.rms_eps, lane.h + t * c.embedding, c.embedding); });
  lane.multiply({{w.q, lane.q, w.q_bias}, {w.k, lane.k, w.k_bias}, {w.v, lane.v, w.v_bias}}, lane.h, c.embedding);
  lane.each_token([&](std::int64_t t) {
    ops.rope(c.rope_kind, lane.q + t * c.heads * c.head_dim, q_heads, head_dim, c.rope_dims, lane.angles[t]);
    ops.rope(c.rope_kind, lane.k + t * c.kv_heads * c.head_dim, kv_heads, head_dim, c.rope_dims, lane.angles[t]);
  });
  store_keys_and_values(c, lane);
}

void after_attention(const ModelConfig& c, const LayerWeights& w, const Lane& lane) {
  const kernels::Ops& ops = lane.ops;

  lane.multiply({{w.o, lane.h}}, lane.attended, c.heads * c.head_dim);
  lane.each_token([&](std::int64_t t) {
    float* x = lane.x + t * c.embedding;
    float* h = lane.h + t * c.embedding;
    ops.add(x, h, c.embedding);
    ops.rms_norm(x, w.ffn_norm, c.rms_eps, h, c.embedding);
  });
  lane.multiply({{w.gate, lane.gate}, {w.up, lane.up}}, lane.h, c.embedding);
  lane.each_token([&](std::int64_t t) { ops.silu_mul(lane.gate + t * c.ffn, lane.up + t * c.ffn, c.ffn); });
  lane.multiply({{w.down, lane.h}}, lane.gate, c.ffn);
  lane.each_token([&](std::int64_t t) { ops.add(lane.x + t * c.embedding, lane.h + t * c.embedding, c.embedding); });
}

}  // namespace

LayerCode qwen2_layer() { return {before_attention, after_attention}; }

}  // namespace codicil::model
