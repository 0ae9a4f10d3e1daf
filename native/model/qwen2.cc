// One layer of the `qwen2` architecture (Qwen2, Qwen2.5): as `llama`, with a bias on q, k and v, and rotary positions in halves (i, i + n/2).
// Source: Qwen2 technical report, section 2.2.

#include "native/model/lane.h"

namespace codicil::model {

namespace {

void before_mixer(const ModelConfig& c, const LayerWeights& layer, const Lane& lane) {
  const AttentionWeights& w = layer.attention;
  norm_input(c, lane, layer.mixer_norm);
  lane.multiply({{w.q, lane.q, w.q_bias}, {w.k, lane.k, w.k_bias}, {w.v, lane.v, w.v_bias}}, lane.h, c.embedding);
  rotate_and_store(c, lane);
}

}  // namespace

LayerCode qwen2_layer() { return {before_mixer, llama_layer().after_mixer}; }

}  // namespace codicil::model
