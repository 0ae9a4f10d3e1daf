// The weights of one model, packed for the op table that runs them: all of them in memory, or a part of them and the rest read from the file
// while the model runs.
//
// Owns: the memory of the weights, what of them is held there (Residence), loading. Leaves names and shapes to weight_list.h, reading to
// weight_stream.h, and what is not held to expert_cache.h and layer_ring.h.
// Rules that must stay true: weights are read unbuffered into anonymous memory, never mapped, and never held twice: beside the packed form
// there is one part per reading thread. What a model computes does not depend on what of it is held.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/kernels.h"
#include "native/base/file.h"
#include "native/model/config.h"
#include "native/model/gguf.h"
#include "native/model/tensor_file.h"

namespace codicil::model {

// A packed matrix and the table that packed it: layouts are private to a table. It is the engine's own table, or the reference
// where that one does not take the type.
struct Matrix {
  kernels::Weights weights;
  const kernels::Ops* ops = nullptr;
  std::int64_t rows() const { return weights.rows; }
};

// SwiGLU: down(silu(gate x) * up x).
struct MlpWeights {
  Matrix gate, up;  // [inner, embedding]
  Matrix down;      // [embedding, inner]
};

struct AttentionWeights {
  Matrix q;                       // [heads * head_dim, embedding]; gated: [heads * 2 * head_dim, embedding], query then gate in every head
  Matrix k, v;                    // [kv_heads * head_dim, embedding]
  const float* q_bias = nullptr;  // [heads * head_dim]; null: the model has none
  const float* k_bias = nullptr;  // [kv_heads * head_dim]
  const float* v_bias = nullptr;
  const float* q_norm = nullptr;  // [head_dim]; null: the model has none
  const float* k_norm = nullptr;
  Matrix o;  // [embedding, heads * head_dim]
};

struct DeltaWeights {
  Matrix qkv;                        // [conv_channels, embedding] queries, keys, values
  Matrix z;                          // [value_width, embedding] gate of the output
  Matrix beta, alpha;                // [value_heads, embedding]
  const float* taps = nullptr;       // [conv_kernel, conv_channels]
  const float* step_bias = nullptr;  // [value_heads]
  const float* rate = nullptr;       // [value_heads] = -exp(A_log)
  const float* norm = nullptr;       // [head_dim]
  Matrix out;                        // [embedding, value_width]
};

struct ExpertWeights {
  Matrix router;                         // [experts, embedding]
  std::vector<MlpWeights> experts;       // [experts]; without data where they are streamed (ModelWeights::expert_cache)
  MlpWeights shared;                     // used by every token; no rows: the model has none
  const float* shared_router = nullptr;  // [embedding]; its product, through a sigmoid, weighs the shared expert
};

// Of the block behind the last layer (mtp.cc): what makes its input, and the norm behind it.
struct HeadWeights {
  const float* token_norm = nullptr;   // [embedding]
  const float* hidden_norm = nullptr;  // [embedding]
  Matrix join;                         // [embedding, 2 * embedding] of a token's embedding and the hidden state before it
  const float* output_norm = nullptr;  // [embedding]; null: the model's
};

struct LayerWeights {
  const float* mixer_norm = nullptr;  // [embedding]
  AttentionWeights attention;         // one of the two, by ModelConfig::mixers
  DeltaWeights delta;
  const float* ffn_norm = nullptr;  // [embedding]
  MlpWeights mlp;                   // one of the two, by ModelConfig::experts
  ExpertWeights moe;
  HeadWeights head;
};

class ExpertCache;
class LayerRing;
struct WeightList;

// What of the weights is held in memory.
struct Residence {
  enum class Way { all, streamed_experts, streamed_layers };
  Way way = Way::all;
  bool fits = false;                 // into the bytes that were given
  std::uint64_t bytes = 0;           // that the weights then take
  std::uint64_t least_bytes = 0;     // with which they could be run at all
  std::uint64_t cache_bytes = 0;     // streamed_experts: of `bytes`, for whole experts
  std::vector<std::int64_t> layers;  // streamed_layers: those that are read in every pass, ascending
};
// The most that goes into `bytes`: everything; or the trunk and a cache of experts; or some of the layers and a ring for the others.
Residence choose_residence(const WeightList& list, std::uint64_t bytes);

class ModelWeights {
 public:
  ModelWeights();
  ModelWeights(ModelWeights&&) noexcept;
  ModelWeights& operator=(ModelWeights&&) noexcept;
  ~ModelWeights();

  // progress(share in 0..1) is called on this thread while others read. `config` stays valid for the life of this.
  static Result<ModelWeights> load(Gguf gguf, const TensorFileOptions& options, const ModelConfig& config, const kernels::Ops& ops,
                                   const Residence& residence, const std::function<void(double)>& progress);

  std::span<const LayerWeights> layers() const { return layers_; }  // [ModelConfig::blocks()]
  const Matrix& output() const { return output_; }                  // [vocab, embedding]
  const float* output_norm() const { return output_norm_; }         // [embedding]
  const float* rope_factors() const { return rope_factors_; }       // [rope_dims / 2]; null: none
  // Row of the embedding table, from its GGUF layout. out[embedding].
  void embed(const kernels::Ops& ops, std::int32_t token, float* out) const;
  // Before a layer is computed, in order, by one thread: waits until its weights are in memory. Those of the layer before stay valid.
  Status hold(std::int64_t layer) const;
  ExpertCache* expert_cache() const { return cache_.get(); }  // null: all experts are in memory
  std::uint64_t bytes() const;                                // in memory
  std::uint64_t bytes_streamed() const;                       // read from the file since it was loaded
  // Changes with the tensor table and with a sample of every tensor's bytes; the same for every Residence.
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  struct Source;
  Status load_resident(const Residence& residence, const ModelConfig& config, const std::function<void(double)>& progress);
  void bind_outside(const ModelConfig& config);

  std::unique_ptr<Source> source_;  // null once nothing is read any more
  AlignedBuffer memory_;            // blocks one after the other, the experts of a layer behind it
  std::vector<LayerWeights> layers_;
  Matrix output_;
  const float* output_norm_ = nullptr;
  const float* rope_factors_ = nullptr;
  const std::byte* embedding_ = nullptr;  // [vocab, embedding] in GGUF layout
  const kernels::TypeInfo* embedding_type_ = nullptr;
  std::int64_t embedding_cols_ = 0;
  std::uint64_t fingerprint_ = 0;
  std::unique_ptr<ExpertCache> cache_;
  std::unique_ptr<LayerRing> ring_;
};

// The heats of experts, beside the checksums of the same model; empty where there is no folder for them.
std::string heat_path(const std::string& sidecar);

}  // namespace codicil::model
