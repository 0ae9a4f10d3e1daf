// A lane: one thread's or the whole pool's view of a range of tokens while a layer is computed, and the parts that layers are made of.
//
// Owns: the names of the buffers that a layer reads and writes. Leaves memory and order to forward.h, which architecture uses which
// part to llama.cc, qwen2.cc, qwen3.cc and qwen35.cc: those read like the model card.
// Rule that must stay true: every part is independent by token and row, so a token's result does not depend on what shares its lane.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include "kernels/kernels.h"
#include "native/base/threads.h"
#include "native/kv/kv.h"
#include "native/model/config.h"
#include "native/model/weights.h"

namespace codicil::model {

// Where rows of keys and values lie in a page, and in which form: kv::PageShape in the op table's words.
struct KvLayout {
  kernels::KvType k_type = kernels::KvType::f16, v_type = kernels::KvType::f16;
  bool rotated = false;                             // queries, keys, values, and what attention gives
  std::int64_t k_head_bytes = 0, v_head_bytes = 0;  // from one head's rows to the next head's
  std::int64_t v_bytes = 0;                         // from the keys of a layer to its values
  std::int64_t layer_bytes = 0;
};
KvLayout kv_layout(const kv::PageShape& shape);

// With `pool` null a lane is one tile of a large batch, done on this thread from norm to norm while its activations stay in the second-level
// cache; with a pool it is the whole (small) batch, every matrix split by rows.
class Lane {
 public:
  struct Product {
    const Matrix& matrix;
    float* out;                   // [tokens, matrix.rows]
    const float* bias = nullptr;  // [matrix.rows]; null: none
  };

  // Element-wise work over the lane's tokens: fn(token), token counted from the lane's first.
  template <typename F>
  void each_token(F&& fn) const {
    // Below some 8 tokens a dispatch costs more than what the others could take over.
    if (pool == nullptr || tokens < 8) {
      for (std::int64_t t = 0; t < tokens; ++t) fn(t);
    } else {
      pool->parallel_for(0, tokens, 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t t = begin; t < end; ++t) fn(t);
      });
    }
  }
  // All products of one input, in one parallel region. input[tokens, cols], stride cols.
  void multiply(std::initializer_list<Product> products, const float* input, std::int64_t cols) const;
  static constexpr std::size_t kProducts = 4;  // most in one multiply()

  const kernels::Ops& ops;
  ThreadPool* pool;
  std::int64_t first;  // index in the batch of the lane's first token
  std::int64_t tokens;

  // Rows of the batch: they outlive the lane.
  float* x;                  // [tokens, embedding] residual stream
  float* q;                  // [tokens, mixer_in] attention: queries [heads, head_dim]; delta: inputs of the convolution [conv_channels]
  float* mixer_gate;         // [tokens, mixer_out] gate of what the mixer gives
  float* mixed;              // [tokens, mixer_out] what the mixer gives
  float* gates;              // [tokens, 2, value_heads] delta: decay, then beta
  float* ffn_in;             // [tokens, embedding] experts: their input
  std::int32_t* choice;      // [tokens, used] experts, best first
  float* choice_weight;      // [tokens, used]
  const float* expert_out;   // [any, embedding] what experts gave
  const std::int32_t* rows;  // [tokens, used] row of expert_out that belongs to a choice

  // Scratch of the tile.
  float* h;                               // [tokens, embedding] normed input, output of the last product
  float* k;                               // [tokens, kv_heads * head_dim]
  float* v;                               // [tokens, kv_heads * head_dim]
  float* gate;                            // [tokens, inner width of an MLP]
  float* up;                              // [tokens, inner width of an MLP]
  float* wide;                            // [tokens, widest] queries with gates, logits of the router
  std::array<std::byte*, 3> activations;  // one for each weight type that meets in one multiply()
  const float* const* angles;             // [tokens] -> [rope_dims / 2][2]
  const KvLayout& kv;
  const std::int32_t* slots;      // [tokens] place of the token in its page
  std::byte* const* k_groups;     // [tokens] -> group of 16 keys of kv head 0 of this layer that the token's is one of; heads kv.k_head_bytes apart
  const float* const* key_means;  // [tokens] -> [kv_heads * head_dim] that is taken off the token's key; null: nothing (forward.h)
  std::byte* const* v_rows;       // [tokens] -> v of kv head 0 at the token's place; heads kv.v_head_bytes apart
};

// x -> h.
void norm_input(const ModelConfig& config, const Lane& lane, const float* norm);
// Normalises every head of rows[tokens, heads, head_dim].
void norm_heads(const ModelConfig& config, const Lane& lane, float* rows, std::int64_t heads, const float* norm);
// Rotates q and k by their positions and puts k and v, in the pages' format, where attention reads them.
void rotate_and_store(const ModelConfig& config, const Lane& lane);
void store_keys(const ModelConfig& config, const Lane& lane);  // the same for k and v alone
// Adds the mixer's part, which lies in h, to x; x normed -> h.
void add_and_norm(const ModelConfig& config, const Lane& lane, const float* norm);
// x += down(silu(gate h) * up h).
void add_mlp(const ModelConfig& config, const Lane& lane, const MlpWeights& mlp);
// Chooses the experts of every token by h and keeps h for them; adds the shared expert to x.
void choose_experts(const ModelConfig& config, const Lane& lane, const ExpertWeights& moe);
// Adds what the chosen experts gave to x.
void add_experts(const ModelConfig& config, const Lane& lane);

// What differs between architectures. `before_mixer`: x -> what the mixer reads. `after_mixer`: mixed -> x, up to the experts if there are any.
struct LayerCode {
  void (*before_mixer)(const ModelConfig&, const LayerWeights&, const Lane&);
  void (*after_mixer)(const ModelConfig&, const LayerWeights&, const Lane&);
};
LayerCode llama_layer();
LayerCode qwen2_layer();
LayerCode qwen3_layer();
LayerCode qwen35_attention_layer();
LayerCode qwen35_delta_layer();
// Of before_mixer of the attention layer, what others attend to: for tokens whose own output is not wanted.
void qwen35_keys(const ModelConfig& config, const LayerWeights& layer, const Lane& lane);
LayerCode layer_code(const ModelConfig& config, Mixer mixer);

}  // namespace codicil::model
