// One layer of `qwen3` and `qwen3moe` (Qwen3, Qwen3-30B-A3B): no bias, every head of q and k normalised before it is rotated; the mixture has
// experts in place of the MLP, chosen by a softmax over all of them, and none that all tokens share.
// Source: Qwen3 technical report, section 2; the model's published modelling code (Qwen3MoeSparseMoeBlock).

#include "native/model/lane.h"

namespace codicil::model {

namespace {

void before_mixer(const ModelConfig& c, const LayerWeights& layer, const Lane& lane) {
  const AttentionWeights& w = layer.attention;
  norm_input(c, lane, layer.mixer_norm);
  lane.multiply({{w.q, lane.q}, {w.k, lane.k}, {w.v, lane.v}}, lane.h, c.embedding);
  norm_heads(c, lane, lane.q, c.heads, w.q_norm);
  norm_heads(c, lane, lane.k, c.kv_heads, w.k_norm);
  rotate_and_store(c, lane);
}

void after_mixer(const ModelConfig& c, const LayerWeights& layer, const Lane& lane) {
  lane.multiply({{layer.attention.o, lane.h}}, lane.mixed, c.heads * c.head_dim);
  add_and_norm(c, lane, layer.ffn_norm);
  if (c.experts.count > 0)
    choose_experts(c, lane, layer.moe);
  else
    add_mlp(c, lane, layer.mlp);
}

}  // namespace

LayerCode qwen3_layer() { return {before_mixer, after_mixer}; }

}  // namespace codicil::model
