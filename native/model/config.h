// ModelConfig: the numbers of one model, read from GGUF metadata and checked against each other and the tensor table.
//
// Owns: which architectures are run (`llama`, `qwen2`, `qwen3`, `qwen3moe`, `qwen35`, `qwen35moe`) and the exact sentence for those that are not. Leaves to weights the tensors.
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

enum class Architecture { llama, qwen2, qwen3, qwen3moe, qwen35, qwen35moe };

// How the tokens of one layer meet: over keys and values of every earlier token, or in a recurrent state (Gated DeltaNet).
enum class Mixer : std::uint8_t { attention, delta };

// The experts of a layer; count 0: a dense layer.
struct ExpertShape {
  std::int64_t count = 0, used = 0;
  std::int64_t ffn = 0;         // inner width of one expert
  std::int64_t shared_ffn = 0;  // inner width of the expert that every token uses; 0: none
};

// A Gated DeltaNet layer. Value head h reads key head h mod key_heads (GGUF's order of the value heads).
struct DeltaShape {
  std::int64_t key_heads = 0, value_heads = 0;
  std::int64_t head_dim = 0;     // of keys and of values
  std::int64_t conv_kernel = 0;  // taps, the token itself included
  std::int64_t value_width() const { return value_heads * head_dim; }
  std::int64_t conv_channels() const { return 2 * key_heads * head_dim + value_width(); }
  // What one sequence keeps for one layer, in f32: conv[conv_kernel - 1, conv_channels] inputs, then state[value_heads, head_dim, head_dim].
  std::int64_t conv_floats() const { return (conv_kernel - 1) * conv_channels(); }
  std::int64_t state_floats() const { return conv_floats() + value_heads * head_dim * head_dim; }
};

struct ModelConfig {
  Architecture architecture = Architecture::llama;
  std::string architecture_name, name, file_type, license, chat_template;  // file_type: "Q4_0"; empty strings where the file says nothing
  std::uint64_t parameters = 0, file_bytes = 0;

  std::int64_t layers = 0;
  std::int64_t embedding = 0;  // width of the residual stream
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
  std::int64_t ffn = 0;  // inner width of the gated MLP; 0: every layer has experts
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
  bool qk_norm = false;          // every head of q and k is normalised before it is rotated (qwen3 and later)
  bool gated_attention = false;  // attn_q holds a query and a gate per head (qwen35)

  std::vector<Mixer> mixers;  // [blocks()]
  ExpertShape experts;
  DeltaShape delta;             // of the layers that are no attention
  std::int64_t mtp_layers = 0;  // 1: a block of attention behind the last layer guesses the token after next (mtp.cc); 0: none, or not used
  bool mtp_norm = false;        // that block has an own norm before the output matrix
  std::int64_t blocks() const { return layers + mtp_layers; }
  std::int64_t attention_layers() const;  // with the head's, whose keys are kept like any other's
  std::int64_t delta_layers() const;
  // What one sequence keeps beside its pages, in f32: the states of the delta layers, then, with a head, hidden[embedding] of its last token, after
  // the last norm. 0: the model has no recurrent state.
  std::int64_t recurrent_floats() const { return delta_layers() * delta.state_floats() + mtp_layers * embedding; }
  bool is_recurrent() const { return delta_layers() > 0; }
  void drop_mtp();  // the model as if its file had no head

  Token bos = -1, eos = -1, eot = -1;  // -1: the model has none
  bool add_bos = false;                // the file asks for bos in front of a text (evaluation does; documents are placed by templates)
  std::vector<Token> end_tokens;       // every token that ends a turn, ascending
};

Result<ModelConfig> read_config(const Gguf& gguf);  // model_invalid, model_unsupported

}  // namespace codicil::model
