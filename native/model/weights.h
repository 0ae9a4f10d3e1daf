// The weights of one model in memory, packed for the op table that runs them.
//
// Owns: reading tensors (anonymous memory, never a file mapping), checking their shapes against the config by name, packing in
// parallel, freeing raw bytes as it goes. Leaves to forward.h what is done with them.
// Rules that must stay true: a tensor that is missing, has another shape or a type that is not computed is refused with its
// name; after loading nothing here changes, so all threads may read it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/kernels.h"
#include "native/base/file.h"
#include "native/base/threads.h"
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
  std::vector<MlpWeights> experts;       // [experts]
  MlpWeights shared;                     // used by every token; no rows: the model has none
  const float* shared_router = nullptr;  // [embedding]; its product, through a sigmoid, weighs the shared expert
};

struct LayerWeights {
  const float* mixer_norm = nullptr;  // [embedding]
  AttentionWeights attention;         // one of the two, by ModelConfig::mixers
  DeltaWeights delta;
  const float* ffn_norm = nullptr;  // [embedding]
  MlpWeights mlp;                   // one of the two, by ModelConfig::experts
  ExpertWeights moe;
};

class ModelWeights {
 public:
  // progress(share in 0..1) is called between tensors on this thread.
  static Result<ModelWeights> load(TensorFile& file, const Gguf& gguf, const ModelConfig& config, const kernels::Ops& ops, ThreadPool& pool,
                                   const std::function<void(double)>& progress);
  // What load() would hold, from the tensor table alone.
  static Result<std::uint64_t> planned_bytes(const Gguf& gguf, const ModelConfig& config, const kernels::Ops& ops);

  std::span<const LayerWeights> layers() const { return layers_; }
  const Matrix& output() const { return output_; }             // [vocab, embedding]
  const float* output_norm() const { return output_norm_; }    // [embedding]
  const float* rope_factors() const { return rope_factors_; }  // [rope_dims / 2]; null: none
  // Row of the embedding table, from its GGUF layout. out[embedding].
  void embed(const kernels::Ops& ops, std::int32_t token, float* out) const;
  std::uint64_t bytes() const { return bytes_; }
  // Changes with the tensor table and with a sample of every tensor's bytes.
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  friend class WeightLoader;
  std::vector<AlignedBuffer> buffers_;
  std::vector<LayerWeights> layers_;
  Matrix output_;
  const float* output_norm_ = nullptr;
  const float* rope_factors_ = nullptr;
  const std::byte* embedding_ = nullptr;  // [vocab, embedding] in GGUF layout
  const kernels::TypeInfo* embedding_type_ = nullptr;
  std::int64_t embedding_cols_ = 0;
  std::uint64_t bytes_ = 0, fingerprint_ = 0;
};

}  // namespace codicil::model
