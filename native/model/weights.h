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

namespace codicil::model {

// A packed matrix and the table that packed it: layouts are private to a table. It is the engine's own table, or the reference
// where that one does not take the type.
struct Matrix {
  kernels::Weights weights;
  const kernels::Ops* ops = nullptr;
  std::int64_t rows() const { return weights.rows; }
};

struct LayerWeights {
  const float* attn_norm = nullptr;  // [embedding]
  Matrix q, k, v;                    // [heads * head_dim, embedding], [kv_heads * head_dim, embedding] twice
  const float* q_bias = nullptr;     // [heads * head_dim]; null: the model has none
  const float* k_bias = nullptr;     // [kv_heads * head_dim]
  const float* v_bias = nullptr;
  Matrix o;                         // [embedding, heads * head_dim]
  const float* ffn_norm = nullptr;  // [embedding]
  Matrix gate, up;                  // [ffn, embedding]
  Matrix down;                      // [embedding, ffn]
};

class ModelWeights {
 public:
  // progress(share in 0..1) is called between tensors on this thread.
  static Result<ModelWeights> load(const std::string& path, const Gguf& gguf, const ModelConfig& config, const kernels::Ops& ops, ThreadPool& pool,
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
