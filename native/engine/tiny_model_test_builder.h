// A small GGUF with random weights in a temporary file: the whole engine can then be tested in milliseconds. For tests only.
// Shapes keep what is peculiar: grouped heads, a row count that is no multiple of a packing group, layers of two kinds, experts, one that is shared.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

#ifdef _WIN32
#include <process.h>
#else
#include <unistd.h>
#endif

#include "native/model/random_model.h"

namespace codicil::test {

struct TinyShape {
  std::string architecture = "llama";
  kernels::Type type = kernels::Type::f32;  // of the matrices
  std::int64_t embedding = 96, heads = 6, kv_heads = 2;
  std::uint64_t seed = 1;
  std::int64_t context = 2048;
  bool mtp = false;       // qwen35, qwen35moe
  double mtp_right = -1;  // ModelShape::mtp_right
  double slow_key_bias = 1;
};

inline model::ModelShape tiny_shape(const TinyShape& s) {
  const bool hybrid = s.architecture.starts_with("qwen35"), experts = s.architecture.ends_with("moe");
  model::ModelShape shape{};
  shape.name = "tiny";
  shape.architecture = s.architecture.c_str();
  shape.layers = hybrid ? 4 : 2;
  shape.embedding = s.embedding;
  shape.heads = s.heads;
  shape.kv_heads = s.kv_heads;
  shape.head_dim = s.embedding / s.heads;
  shape.ffn = experts ? 0 : 160;
  if (experts) shape.experts = 12, shape.experts_used = 3, shape.expert_ffn = 64;
  if (experts && hybrid) shape.shared_ffn = 96;
  if (hybrid) shape.key_heads = 2, shape.value_heads = 4, shape.delta_dim = 32;
  shape.rope_dims = hybrid ? shape.head_dim / 4 * 2 : shape.head_dim;
  shape.vocab = 300;
  shape.context = s.context;
  shape.rope_base = 10000;
  shape.tied = !experts;
  shape.mtp = s.mtp;
  shape.mtp_right = s.mtp_right;
  shape.slow_key_bias = s.slow_key_bias;
  return shape;
}

class TinyModel {
 public:
  static constexpr std::int32_t kEnd = 299;  // <|im_end|>

  explicit TinyModel(const TinyShape& s) {
    static int counter = 0;
#ifdef _WIN32
    const int pid = _getpid();
#else
    const int pid = getpid();
#endif
    path_ = (std::filesystem::temp_directory_path() / ("codicil_tiny_" + std::to_string(pid) + "_" + std::to_string(counter++) + ".gguf")).string();
    const Status status = model::write_random_model(tiny_shape(s), s.type, s.seed, path_);
    if (!status.ok()) std::fprintf(stderr, "the tiny model was not written: %s\n", status.message().c_str());
  }
  ~TinyModel() { std::remove(path_.c_str()); }
  TinyModel(const TinyModel&) = delete;
  TinyModel& operator=(const TinyModel&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace codicil::test
