// The two layers of `qwen35` and `qwen35moe` (Qwen3.5, Qwen3.6): three Gated DeltaNet layers, then one of gated attention; an MLP or experts
// with one that all tokens share. Norms are stored with their 1 added, so they multiply plainly.
// Source: the models' published modelling code (Qwen3_5GatedDeltaNet, Qwen3_5Attention); Yang et al. 2024, "Gated Delta Networks".

#include <algorithm>
#include <cmath>

#include "native/model/lane.h"

namespace codicil::model {

namespace {

void feed_forward(const ModelConfig& c, const LayerWeights& layer, const Lane& lane) {
  add_and_norm(c, lane, layer.ffn_norm);
  if (c.experts.count > 0)
    choose_experts(c, lane, layer.moe);
  else
    add_mlp(c, lane, layer.mlp);
}

// --- gated attention -----------------------------------------------------------------------------------------------------------

void before_attention(const ModelConfig& c, const LayerWeights& layer, const Lane& lane) {
  const AttentionWeights& w = layer.attention;
  norm_input(c, lane, layer.mixer_norm);
  lane.multiply({{w.q, lane.wide}, {w.k, lane.k}, {w.v, lane.v}}, lane.h, c.embedding);
  const std::int64_t width = c.heads * c.head_dim;
  lane.each_token([&](std::int64_t t) {
    // Per head: its query, then its gate.
    for (std::int64_t head = 0; head < c.heads; ++head) {
      const float* both = lane.wide + t * 2 * width + head * 2 * c.head_dim;
      std::copy_n(both, c.head_dim, lane.q + t * width + head * c.head_dim);
      std::copy_n(both + c.head_dim, c.head_dim, lane.mixer_gate + t * width + head * c.head_dim);
    }
  });
  norm_heads(c, lane, lane.q, c.heads, w.q_norm);
  norm_heads(c, lane, lane.k, c.kv_heads, w.k_norm);
  rotate_and_store(c, lane);
}

void after_attention(const ModelConfig& c, const LayerWeights& layer, const Lane& lane) {
  const std::int64_t width = c.heads * c.head_dim;
  lane.each_token([&](std::int64_t t) { lane.ops.sigmoid_mul(lane.mixed + t * width, lane.mixer_gate + t * width, width); });
  lane.multiply({{layer.attention.o, lane.h}}, lane.mixed, width);
  feed_forward(c, layer, lane);
}

// --- Gated DeltaNet --------------------------------------------------------------------------------------------------------------

// The convolution and the recurrence over these rows are the mixer itself (recurrence.cc).
void before_delta(const ModelConfig& c, const LayerWeights& layer, const Lane& lane) {
  const DeltaWeights& w = layer.delta;
  const std::int64_t heads = c.delta.value_heads;
  norm_input(c, lane, layer.mixer_norm);
  float *alpha = lane.wide, *beta = lane.wide + lane.tokens * heads;
  lane.multiply({{w.qkv, lane.q}, {w.z, lane.mixer_gate}, {w.alpha, alpha}, {w.beta, beta}}, lane.h, c.embedding);
  lane.each_token([&](std::int64_t t) {
    float *decay = lane.gates + t * 2 * heads, *write = decay + heads;
    for (std::int64_t i = 0; i < heads; ++i) {
      const double step = static_cast<double>(alpha[t * heads + i]) + w.step_bias[i];
      const double softplus = step > 20 ? step : std::log1p(std::exp(step));  // above 20 they are equal in f32
      decay[i] = static_cast<float>(std::exp(w.rate[i] * softplus));
      write[i] = static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(beta[t * heads + i]))));
    }
  });
}

void after_delta(const ModelConfig& c, const LayerWeights& layer, const Lane& lane) {
  const DeltaWeights& w = layer.delta;
  const std::int64_t width = c.delta.value_width(), dim = c.delta.head_dim;
  lane.each_token([&](std::int64_t t) {
    float* out = lane.mixed + t * width;
    for (std::int64_t head = 0; head < c.delta.value_heads; ++head) lane.ops.rms_norm(out + head * dim, w.norm, c.rms_eps, out + head * dim, dim);
    lane.ops.silu_mul(lane.mixer_gate + t * width, out, width);
  });
  lane.multiply({{w.out, lane.h}}, lane.mixer_gate, width);
  feed_forward(c, layer, lane);
}

}  // namespace

void qwen35_keys(const ModelConfig& c, const LayerWeights& layer, const Lane& lane) {
  const AttentionWeights& w = layer.attention;
  norm_input(c, lane, layer.mixer_norm);
  lane.multiply({{w.k, lane.k}, {w.v, lane.v}}, lane.h, c.embedding);
  norm_heads(c, lane, lane.k, c.kv_heads, w.k_norm);
  store_keys(c, lane);
}

LayerCode qwen35_attention_layer() { return {before_attention, after_attention}; }
LayerCode qwen35_delta_layer() { return {before_delta, after_delta}; }

}  // namespace codicil::model
