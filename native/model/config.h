// ModelConfig: the numbers of one model, read from GGUF metadata and checked against each other and the tensor table.
//
// Owns: which architectures are run (`llama`, `qwen2`) and the exact sentence for those that are not. Leaves to weights the tensors.
// Rule that must stay true: a config that was returned is consistent: every number that a forward pass divides or multiplies by is positive,
// heads % kv_heads == 0, rope_dims is even and <= head_dim, token ids are inside the vocabulary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kernels.h"
#include "native/base/status.h"
#include "native/model/gguf.h"

namespace codicil::model {

using Token = std::int32_t;

enum class Architecture { llama, qwen2 };

struct ModelConfig {
  Architecture architecture = Architecture::llama;
  std::string architecture_name, name, file_type, license, chat_template;  // file_type: "Q4_0"; empty strings where the file says nothing
  std::uint64_t parameters = 0, file_bytes = 0;

  std::int64_t layers = 0;
  std::int64_t embedding = 0;  // width of the residual stream
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
  std::int64_t ffn = 0;  // inner width of the gated MLP
  std::int64_t vocab = 0;
  std::int64_t context_tokens = 0;  // trained length
  float rms_eps = 0;

  kernels::RopeKind rope_kind = kernels::RopeKind::interleaved;
  int rope_dims = 0;
  double rope_base = 0;
  double rope_scale = 1;      // angles are multiplied by it (linear scaling: 1 / factor)
  bool rope_factors = false;  // tensor rope_freqs.weight [rope_dims / 2] divides the frequencies (Llama 3.1 and later)

  bool tied_embeddings = false;  // no output.weight: the embedding matrix is the output matrix
  bool qkv_bias = false;         // blk.N.attn_{q,k,v}.bias exist (qwen2)

  Token bos = -1, eos = -1, eot = -1;  // -1: the model has none
  bool add_bos = false;                // the file asks for bos in front of a text (evaluation does; documents are placed by templates)
  std::vector<Token> end_tokens;       // every token that ends a turn, ascending
};

Result<ModelConfig> read_config(const Gguf& gguf);  // model_invalid, model_unsupported

}  // namespace codicil::model
