// Writes a small GGUF with random weights to a temporary file: the whole engine can then be tested in milliseconds. For tests only.
// Shapes keep what is peculiar: grouped heads, a row count that is no multiple of a packing group, tied or untied output, biases for qwen2.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#ifdef _WIN32
#include <process.h>
#else
#include <unistd.h>
#endif

#include "native/model/gguf_test_builder.h"

namespace codicil::test {

struct TinyShape {
  std::string architecture = "llama";
  std::uint32_t type = 0;  // of the matrices: 0 f32, 2 q4_0, 8 q8_0
  std::uint32_t layers = 2, embedding = 96, heads = 6, kv_heads = 2, ffn = 160, vocab = 300, context = 2048;
  std::uint64_t seed = 1;
};

class TinyModel {
 public:
  static constexpr std::int32_t kEnd = 299;  // <|im_end|>

  explicit TinyModel(const TinyShape& s) : state_(s.seed) {
    model::GgufBuilder b;
    const std::string p = s.architecture + ".";
    b.string("general.architecture", s.architecture).string("general.name", "tiny");
    b.u32(p + "context_length", s.context)
        .u32(p + "block_count", s.layers)
        .u32(p + "embedding_length", s.embedding)
        .u32(p + "feed_forward_length", s.ffn);
    b.u32(p + "attention.head_count", s.heads)
        .u32(p + "attention.head_count_kv", s.kv_heads)
        .f32(p + "attention.layer_norm_rms_epsilon", 1e-5f)
        .f32(p + "rope.freq_base", 10000.0f);
    b.string("tokenizer.ggml.model", "gpt2").string("tokenizer.ggml.pre", "smollm").strings("tokenizer.ggml.tokens", vocabulary(s.vocab));
    std::vector<std::int32_t> types(s.vocab, 1);
    types.back() = 3;
    b.i32s("tokenizer.ggml.token_type", types).strings("tokenizer.ggml.merges", {}).u32("tokenizer.ggml.eos_token_id", s.vocab - 1);
    const std::uint32_t q = s.embedding, kv = s.embedding / s.heads * s.kv_heads;
    matrix(b, "token_embd.weight", s.type, s.vocab, s.embedding);
    norm(b, "output_norm.weight", s.embedding);
    for (std::uint32_t i = 0; i < s.layers; ++i) {
      const std::string blk = "blk." + std::to_string(i) + ".";
      norm(b, blk + "attn_norm.weight", s.embedding);
      norm(b, blk + "ffn_norm.weight", s.embedding);
      matrix(b, blk + "attn_q.weight", s.type, q, s.embedding);
      matrix(b, blk + "attn_k.weight", s.type, kv, s.embedding);
      matrix(b, blk + "attn_v.weight", s.type, kv, s.embedding);
      matrix(b, blk + "attn_output.weight", s.type, s.embedding, q);
      matrix(b, blk + "ffn_gate.weight", s.type, s.ffn, s.embedding);
      matrix(b, blk + "ffn_up.weight", s.type, s.ffn, s.embedding);
      matrix(b, blk + "ffn_down.weight", s.type, s.embedding, s.ffn);
      if (s.architecture != "qwen2") continue;
      norm(b, blk + "attn_q.bias", q);
      norm(b, blk + "attn_k.bias", kv);
      norm(b, blk + "attn_v.bias", kv);
    }
    std::string file = b.build();
    file.replace(file.size() - data_.size(), data_.size(), data_);
    static int counter = 0;
#ifdef _WIN32
    const int pid = _getpid();
#else
    const int pid = getpid();
#endif
    path_ = (std::filesystem::temp_directory_path() / ("codicil_tiny_" + std::to_string(pid) + "_" + std::to_string(counter++) + ".gguf")).string();
    std::ofstream(path_, std::ios::binary).write(file.data(), static_cast<std::streamsize>(file.size()));
  }
  ~TinyModel() { std::remove(path_.c_str()); }
  TinyModel(const TinyModel&) = delete;
  TinyModel& operator=(const TinyModel&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::uint64_t next() {  // xorshift64*
    state_ ^= state_ >> 12, state_ ^= state_ << 25, state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1du;
  }
  float uniform() { return static_cast<float>(static_cast<double>(next() >> 11) * 0x1p-53 * 2 - 1); }
  void put(const void* bytes, std::size_t n) { data_.append(static_cast<const char*>(bytes), n); }
  void pad() { data_.resize((data_.size() + 31) / 32 * 32, '\0'); }

  void norm(model::GgufBuilder& b, const std::string& name, std::uint32_t n) {
    b.tensor(name, 0, {n}, n * 4u);
    for (std::uint32_t i = 0; i < n; ++i) {
      const float value = 1 + 0.5f * uniform();
      put(&value, 4);
    }
    pad();
  }
  void matrix(model::GgufBuilder& b, const std::string& name, std::uint32_t type, std::uint32_t rows, std::uint32_t cols) {
    const std::uint64_t blocks = static_cast<std::uint64_t>(rows) * cols / 32;
    const std::uint64_t block_bytes = type == 0 ? 128 : type == 2 ? 18 : 34;
    b.tensor(name, type, {cols, rows}, blocks * block_bytes);
    for (std::uint64_t i = 0; i < blocks; ++i) {
      if (type == 0) {
        for (int j = 0; j < 32; ++j) {
          const float value = 0.15f * uniform();
          put(&value, 4);
        }
        continue;
      }
      const auto scale =
          static_cast<std::uint16_t>(type == 2 ? 0x2400 + next() % 512 : 0x1400 + next() % 512);  // about 0.016-0.02, and a sixteenth of it for q8_0
      put(&scale, 2);
      for (std::uint64_t j = 0; j < block_bytes - 2; ++j) data_.push_back(static_cast<char>(next() >> 56));
    }
    pad();
  }
  // GPT-2's printable stand-ins for the 256 bytes, then fillers, then the end of a turn.
  static std::vector<std::string> vocabulary(std::uint32_t count) {
    std::vector<std::string> out;
    std::uint32_t stand_in = 256;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
      const std::uint32_t c = printable ? byte : stand_in++;
      if (c < 0x80)
        out.push_back({static_cast<char>(c)});
      else
        out.push_back({static_cast<char>(0xc0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3f))});
    }
    while (out.size() + 1 < count) out.push_back("w" + std::to_string(out.size()));
    out.push_back("<|im_end|>");
    return out;
  }

  std::uint64_t state_;
  std::string data_, path_;
};

}  // namespace codicil::test
