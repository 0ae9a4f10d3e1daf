// One layer of the `llama` architecture (Llama, SmolLM2, Mistral): pre-norm, grouped-query attention with rotary positions in
// interleaved pairs (GGUF's order of the rows), SwiGLU. Source: Llama 2 paper, section 2.2, and the model card of SmolLM2.

#include "native/model/lane.h"

namespace codicil::model {

namespace {

void before_mixer(const ModelConfig& c, const LayerWeights& layer, const Lane& lane) {
  const AttentionWeights& w = layer.attention;
  norm_input(c, lane, layer.mixer_norm);
  lane.multiply({{w.q, lane.q}, {w.k, lane.k}, {w.v, lane.v}}, lane.h, c.embedding);
  rotate_and_store(c, lane);
}

void after_mixer(const ModelConfig& c, const LayerWeights& layer, const Lane& lane) {
  lane.multiply({{layer.attention.o, lane.h}}, lane.mixed, c.heads * c.head_dim);
  add_and_norm(c, lane, layer.ffn_norm);
  add_mlp(c, lane, layer.mlp);
}

}  // namespace

LayerCode llama_layer() { return {before_mixer, after_mixer}; }

}  // namespace codicil::model
