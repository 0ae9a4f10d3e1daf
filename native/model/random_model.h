// GGUF files of random weights in the true shapes of public models: they say nothing about quality and everything about speed, memory and
// arithmetic. Tests take shapes of their own, small enough for milliseconds.
//
// Owns: the table of shapes, the tensors of each architecture in llama.cpp's names and order, random blocks of every tensor type.
// The same shape, type and seed give the same file, byte for byte.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/kernels.h"
#include "native/base/status.h"

namespace codicil::model {

struct ModelShape {
  const char* name;
  const char* architecture;
  std::int64_t layers, embedding, heads, kv_heads, head_dim;
  std::int64_t ffn;                                            // 0: experts in every layer
  std::int64_t experts, experts_used, expert_ffn, shared_ffn;  // 0 where the model has none
  std::int64_t key_heads, value_heads, delta_dim;              // of Gated DeltaNet layers; 0: every layer is attention
  std::int64_t rope_dims, vocab, context;
  double rope_base;
  bool tied;         // the embedding is the output matrix
  bool mtp = false;  // of Gated DeltaNet: with the head that predicts the token after next
  // 0..1: a head that is right for this share of the tokens, by construction: layers add nothing to the embedding, the token after t is t + 1, and the
  // model and its head read it from two halves of one output matrix (so no tied one). Below 0: everything is random, and no guess comes true.
  double mtp_right = -1;
  double slow_key_bias = 1;  // factor of the bias of keys in the quarter of the pairs that turns slowest (qwen2; trained models: hundreds)
};

// A shape by its name ("qwen35-0.8b"); not_found lists the names.
Result<ModelShape> find_shape(const std::string& name);

// Writes the file; invalid_request when a width is no multiple of the type's block, io_failed when it cannot be written.
Status write_random_model(const ModelShape& shape, kernels::Type type, std::uint64_t seed, const std::string& path);

}  // namespace codicil::model
