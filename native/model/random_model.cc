// Random GGUF files: metadata, tensor table and data of every architecture. See random_model.h.
//
// Owns: what a block of each tensor type looks like when its bits are random and its weights have a given spread, and which tensors a layer has.
// Leaves reading to gguf.h and weights.h, which are tested on these files.
#include "native/model/random_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <vector>

namespace codicil::model {

namespace {

using kernels::Type;
using kernels::TypeInfo;

// Configurations as published with the models; every fourth layer of a hybrid is attention, and its convolution has 4 taps.
constexpr std::int64_t kConvKernel = 4, kAttentionInterval = 4;
constexpr ModelShape kShapes[] = {
    {"llama-135m", "llama", 30, 576, 9, 3, 64, 1536, 0, 0, 0, 0, 0, 0, 0, 64, 49152, 131072, 1e5, true},
    // Of no model: as little arithmetic for a byte of keys as there can be, for sessions of 245,760 tokens.
    {"llama-narrow", "llama", 2, 128, 1, 1, 64, 256, 0, 0, 0, 0, 0, 0, 0, 64, 2048, 262144, 1e6, true},
    {"qwen2-0.5b", "qwen2", 24, 896, 14, 2, 64, 4864, 0, 0, 0, 0, 0, 0, 0, 64, 151936, 32768, 1e6, true},
    {"qwen3-0.6b", "qwen3", 28, 1024, 16, 8, 128, 3072, 0, 0, 0, 0, 0, 0, 0, 128, 151936, 40960, 1e6, true},
    {"qwen3moe-30b-a3b", "qwen3moe", 48, 2048, 32, 4, 128, 0, 128, 8, 768, 0, 0, 0, 0, 128, 151936, 262144, 1e7, false},
    {"qwen35-0.8b", "qwen35", 24, 1024, 8, 2, 256, 3584, 0, 0, 0, 0, 16, 16, 128, 64, 248320, 262144, 1e7, true},
    {"qwen35-4b", "qwen35", 32, 2560, 16, 4, 256, 9216, 0, 0, 0, 0, 16, 32, 128, 64, 248320, 262144, 1e7, true},
    {"qwen35moe-35b-a3b", "qwen35moe", 40, 2048, 16, 2, 256, 0, 256, 8, 512, 512, 16, 32, 128, 64, 248320, 262144, 1e7, false},
};

// splitmix64 (Steele et al. 2014): one multiplication chain per 8 bytes, so a 20 GB file is limited by the disk.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53; }
  void fill(std::byte* out, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 8) {
      const std::uint64_t value = next();
      std::memcpy(out + at, &value, std::min<std::size_t>(8, bytes - at));
    }
  }

 private:
  std::uint64_t state_;
};

// Where a block of a type keeps its f16 scale, and how far its largest quant is from the mean of the others when their bits are random.
struct BlockScale {
  Type type;
  std::size_t offset;
  double spread;  // standard deviation of a weight whose scale is 1
  int minimum;    // offset of a second f16 that is subtracted or added; -1: none
  double minimum_of_scale;
};
constexpr BlockScale kScales[] = {
    {Type::q4_0, 0, 4.6, -1, 0}, {Type::q4_1, 0, 4.6, 2, -7.5}, {Type::q5_0, 0, 9.2, -1, 0},   {Type::q5_1, 0, 9.2, 2, -15.5},
    {Type::q8_0, 0, 74, -1, 0},  {Type::q4_k, 0, 170, 2, 7.5},  {Type::q5_k, 0, 350, 2, 15.5}, {Type::q6_k, 208, 1360, -1, 0},
    {Type::q2_k, 80, 10, 82, 1}, {Type::q3_k, 108, 40, -1, 0},  {Type::iq4_nl, 0, 70, -1, 0},  {Type::iq4_xs, 0, 1300, -1, 0},
};

void put_half(std::byte* at, double value) {
  const auto single = static_cast<float>(value);
  std::uint16_t half = 0;
  kernels::reference().to_f16(&single, &half, 1);
  std::memcpy(at, &half, sizeof half);
}

// One row of `n` weights of the given standard deviation.
void random_row(Random& random, const TypeInfo& info, double deviation, std::int64_t n, std::byte* out) {
  if (info.block_elements == 1) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto value = static_cast<float>(random.uniform(-1, 1) * deviation * std::sqrt(3.0));
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      if (info.type == Type::f32) std::memcpy(out + i * 4, &value, 4);
      if (info.type == Type::f16) put_half(out + i * 2, value);
      if (info.type == Type::bf16) std::memcpy(out + i * 2, reinterpret_cast<const std::byte*>(&bits) + 2, 2);
    }
    return;
  }
  const auto bytes = static_cast<std::size_t>(info.block_bytes);
  random.fill(out, static_cast<std::size_t>(n / info.block_elements) * bytes);
  for (std::int64_t block = 0; block < n / info.block_elements; ++block) {
    std::byte* at = out + static_cast<std::size_t>(block) * bytes;
    if (info.type == Type::mxfp4) {  // its scale is a power of two: 2^(e - 127), values up to 6
      at[0] = static_cast<std::byte>(deviation > 0 ? 127 + static_cast<int>(std::lround(std::log2(deviation / 3))) : 0);
      continue;
    }
    for (const BlockScale& scale : kScales) {
      if (scale.type != info.type) continue;
      // Half of the scales are negative where no minimum stands beside them: codes of -8..7 have the mean -0.5, and a shared mean grows from layer to
      // layer until all tokens look alike (and choose the same experts).
      const double sign = scale.minimum < 0 && (random.next() & 1) != 0 ? -1 : 1;
      const double size = sign * deviation / scale.spread * random.uniform(0.5, 1.5);
      put_half(at + scale.offset, size);
      if (scale.minimum >= 0) put_half(at + scale.minimum, size * scale.minimum_of_scale);
    }
  }
}

class Writer {
 public:
  Writer(const ModelShape& shape, Type type, std::uint64_t seed) : shape_(shape), type_(type), random_(seed) {}

  Status write(const std::string& path) {
    metadata();
    tensors();
    for (const Tensor& tensor : tensors_) {
      if (tensor.shape.front() % tensor.info->block_elements != 0)
        return Status(Code::invalid_request, "expected a width that is a multiple of " + std::to_string(tensor.info->block_elements) + " for type " +
                                                 tensor.info->name + ", found " + std::to_string(tensor.shape.front()) + " in " + tensor.name +
                                                 ": choose another type or shape");
    }
    if (const std::int64_t block = kernels::find_type(static_cast<std::uint32_t>(type_))->block_elements;
        predictable() && shape_.embedding / 2 % block != 0)
      return Status(Code::invalid_request, "expected an embedding of whole blocks of " + std::to_string(2 * block) +
                                               " for a head that is right, found " + std::to_string(shape_.embedding) +
                                               ": choose another type or shape");
    std::ofstream file(path, std::ios::binary);
    const std::string head = header();
    file.write(head.data(), static_cast<std::streamsize>(head.size()));
    for (const Tensor& tensor : tensors_) write_tensor(tensor, file);
    file.close();
    if (!file)
      return Status(Code::io_failed, "expected to write " + path + ", found that the system refused: check the folder and the space on the disk");
    return {};
  }

 private:
  // first_half, second_half: of a norm whose other weights are 0. successors: see write_successors().
  enum class Fill { matrix, norm, bias, key_bias, rate, step, zero, first_half, second_half, ones, token_half, successors };
  struct Tensor {
    std::string name;
    const TypeInfo* info;
    std::vector<std::int64_t> shape;  // fastest first
    Fill fill;
    std::int64_t elements() const {
      std::int64_t n = 1;
      for (const std::int64_t size : shape) n *= size;
      return n;
    }
    std::uint64_t bytes() const { return static_cast<std::uint64_t>(elements() / info->block_elements * info->block_bytes); }
  };
  static constexpr std::uint64_t kAlignment = 32;
  static std::uint64_t aligned(std::uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

  static std::string number(std::uint64_t value, std::size_t bytes) { return {reinterpret_cast<const char*>(&value), bytes}; }
  static std::string text(const std::string& value) { return number(value.size(), 8) + value; }
  void pair(const std::string& key, std::uint32_t type, const std::string& bytes) {
    pairs_ += text(key) + number(type, 4) + bytes;
    pair_count_ += 1;
  }
  void u32(const std::string& key, std::int64_t value) { pair(key, 4, number(static_cast<std::uint64_t>(value), 4)); }
  void f32(const std::string& key, double value) {
    const auto single = static_cast<float>(value);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &single, sizeof bits);
    pair(key, 6, number(bits, 4));
  }
  void string(const std::string& key, const std::string& value) { pair(key, 8, text(value)); }

  bool tied() const { return shape_.tied && !predictable(); }
  std::int64_t blocks() const { return shape_.layers + (shape_.mtp ? 1 : 0); }

  void metadata() {
    const std::string p = std::string(shape_.architecture) + ".";
    string("general.architecture", shape_.architecture);
    string("general.name", std::string("random ") + shape_.name);
    u32(p + "block_count", blocks());
    if (shape_.mtp) u32(p + "nextn_predict_layers", 1);
    u32(p + "context_length", shape_.context);
    u32(p + "embedding_length", shape_.embedding);
    if (shape_.ffn > 0) u32(p + "feed_forward_length", shape_.ffn);
    u32(p + "attention.head_count", shape_.heads);
    u32(p + "attention.head_count_kv", shape_.kv_heads);
    u32(p + "attention.key_length", shape_.head_dim);
    u32(p + "attention.value_length", shape_.head_dim);
    f32(p + "attention.layer_norm_rms_epsilon", 1e-6);
    f32(p + "rope.freq_base", shape_.rope_base);
    u32(p + "rope.dimension_count", shape_.rope_dims);
    if (shape_.experts > 0) {
      u32(p + "expert_count", shape_.experts);
      u32(p + "expert_used_count", shape_.experts_used);
      u32(p + "expert_feed_forward_length", shape_.expert_ffn);
    }
    if (shape_.shared_ffn > 0) u32(p + "expert_shared_feed_forward_length", shape_.shared_ffn);
    if (shape_.value_heads > 0) {
      u32(p + "full_attention_interval", kAttentionInterval);
      u32(p + "ssm.conv_kernel", kConvKernel);
      u32(p + "ssm.state_size", shape_.delta_dim);
      u32(p + "ssm.group_count", shape_.key_heads);
      u32(p + "ssm.time_step_rank", shape_.value_heads);
      u32(p + "ssm.inner_size", shape_.value_heads * shape_.delta_dim);
      // Rotary dimensions by text, height and width: all positions of a text are the same three numbers.
      std::string sections = number(5, 4) + number(4, 8);
      for (const std::uint64_t size : {11, 11, 10, 0}) sections += number(size, 4);
      pair(p + "rope.dimension_sections", 9, sections);
    }
    tokenizer();
  }

  // 256 byte tokens, then names, then an end: enough for any text to be tokenized, without merges.
  void tokenizer() {
    string("tokenizer.ggml.model", "gpt2");
    string("tokenizer.ggml.pre", std::strncmp(shape_.architecture, "qwen35", 6) == 0 ? "qwen35" : "qwen2");
    std::string tokens = number(8, 4) + number(static_cast<std::uint64_t>(shape_.vocab), 8),
                types = number(5, 4) + number(static_cast<std::uint64_t>(shape_.vocab), 8);
    int above = 0;
    for (std::int64_t i = 0; i < shape_.vocab; ++i) {
      const bool control = i + 1 == shape_.vocab;
      tokens += text(i < 256 ? byte_token(static_cast<int>(i), above) : control ? "<|im_end|>" : "<t" + std::to_string(i) + ">");
      types += number(control ? 3 : 1, 4);
    }
    pair("tokenizer.ggml.tokens", 9, tokens);
    pair("tokenizer.ggml.token_type", 9, types);
    pair("tokenizer.ggml.merges", 9, number(8, 4) + number(1, 8) + text("a b"));
    u32("tokenizer.ggml.eos_token_id", shape_.vocab - 1);
  }

  // GPT-2's letters for bytes: printable Latin-1 stands for itself, the others take code points from 256 on.
  static std::string byte_token(int byte, int& above) {
    const bool itself = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    const int point = itself ? byte : 256 + above++;
    if (point < 128) return {static_cast<char>(point)};
    return {static_cast<char>(0xc0 | (point >> 6)), static_cast<char>(0x80 | (point & 63))};
  }

  void tensor(const std::string& name, std::vector<std::int64_t> shape, Fill fill = Fill::matrix) {
    const bool plain = fill != Fill::matrix;
    tensors_.push_back({name, kernels::find_type(static_cast<std::uint32_t>(plain ? Type::f32 : type_)), std::move(shape), fill});
  }
  bool predictable() const { return shape_.mtp && shape_.mtp_right >= 0; }
  // What a layer adds to the residual stream.
  void output(const std::string& name, std::vector<std::int64_t> shape) {
    tensor(name, std::move(shape));
    if (predictable()) tensors_.back().fill = Fill::zero;
  }
  void exact(const std::string& name, std::vector<std::int64_t> shape) {
    tensors_.push_back({name, kernels::find_type(static_cast<std::uint32_t>(Type::f32)), std::move(shape), Fill::matrix});
  }

  void tensors() {
    const std::int64_t e = shape_.embedding;
    tensor("token_embd.weight", {e, shape_.vocab});
    tensor("output_norm.weight", {e}, predictable() ? Fill::first_half : Fill::norm);
    if (!tied()) tensor("output.weight", {e, shape_.vocab});
    if (predictable()) tensors_.back().fill = Fill::successors;
    for (std::int64_t i = 0; i < blocks(); ++i) {
      const std::string b = "blk." + std::to_string(i) + ".";
      const bool hybrid = shape_.value_heads > 0;
      tensor(b + "attn_norm.weight", {e}, Fill::norm);
      if (hybrid && i < shape_.layers && (i + 1) % kAttentionInterval != 0)
        delta(b);
      else
        attention(b);
      tensor(b + (hybrid ? "post_attention_norm.weight" : "ffn_norm.weight"), {e}, Fill::norm);
      if (shape_.experts > 0)
        experts(b);
      else
        mlp(b, "", shape_.ffn);
      if (i == shape_.layers) head(b);
    }
  }

  void head(const std::string& b) {
    const std::int64_t e = shape_.embedding;
    tensor(b + "nextn.eh_proj.weight", {2 * e, e});
    if (predictable())
      tensors_.back() = {b + "nextn.eh_proj.weight", kernels::find_type(static_cast<std::uint32_t>(Type::f16)), {2 * e, e}, Fill::token_half};
    tensor(b + "nextn.enorm.weight", {e}, predictable() ? Fill::ones : Fill::norm);
    tensor(b + "nextn.hnorm.weight", {e}, Fill::norm);
    tensor(b + "nextn.shared_head_norm.weight", {e}, predictable() ? Fill::second_half : Fill::norm);
  }

  void attention(const std::string& b) {
    const std::int64_t e = shape_.embedding, width = shape_.heads * shape_.head_dim, kv = shape_.kv_heads * shape_.head_dim;
    const bool gated = shape_.value_heads > 0, normed = std::strncmp(shape_.architecture, "qwen3", 5) == 0;
    tensor(b + "attn_q.weight", {e, gated ? 2 * width : width});
    tensor(b + "attn_k.weight", {e, kv});
    tensor(b + "attn_v.weight", {e, kv});
    output(b + "attn_output.weight", {width, e});
    if (normed) {
      tensor(b + "attn_q_norm.weight", {shape_.head_dim}, Fill::norm);
      tensor(b + "attn_k_norm.weight", {shape_.head_dim}, Fill::norm);
    }
    if (std::strcmp(shape_.architecture, "qwen2") == 0) {
      tensor(b + "attn_q.bias", {width}, Fill::bias);
      tensor(b + "attn_k.bias", {kv}, Fill::key_bias);
      tensor(b + "attn_v.bias", {kv}, Fill::bias);
    }
  }

  void delta(const std::string& b) {
    const std::int64_t e = shape_.embedding, values = shape_.value_heads * shape_.delta_dim,
                       channels = 2 * shape_.key_heads * shape_.delta_dim + values;
    tensor(b + "attn_qkv.weight", {e, channels});
    tensor(b + "attn_gate.weight", {e, values});
    exact(b + "ssm_conv1d.weight", {kConvKernel, channels});
    tensor(b + "ssm_dt.bias", {shape_.value_heads}, Fill::step);
    tensor(b + "ssm_a", {shape_.value_heads}, Fill::rate);
    tensor(b + "ssm_beta.weight", {e, shape_.value_heads});
    tensor(b + "ssm_alpha.weight", {e, shape_.value_heads});
    tensor(b + "ssm_norm.weight", {shape_.delta_dim}, Fill::norm);
    output(b + "ssm_out.weight", {values, e});
  }

  void experts(const std::string& b) {
    const std::int64_t e = shape_.embedding, inner = shape_.expert_ffn, count = shape_.experts;
    exact(b + "ffn_gate_inp.weight", {e, count});
    tensor(b + "ffn_gate_exps.weight", {e, inner, count});
    tensor(b + "ffn_up_exps.weight", {e, inner, count});
    output(b + "ffn_down_exps.weight", {inner, e, count});
    if (shape_.shared_ffn == 0) return;
    exact(b + "ffn_gate_inp_shexp.weight", {e});
    mlp(b, "_shexp", shape_.shared_ffn);
  }

  void mlp(const std::string& b, const std::string& suffix, std::int64_t inner) {
    tensor(b + "ffn_gate" + suffix + ".weight", {shape_.embedding, inner});
    tensor(b + "ffn_up" + suffix + ".weight", {shape_.embedding, inner});
    output(b + "ffn_down" + suffix + ".weight", {inner, shape_.embedding});
  }

  std::string header() const {
    std::string table;
    std::uint64_t offset = 0;
    for (const Tensor& tensor : tensors_) {
      table += text(tensor.name) + number(tensor.shape.size(), 4);
      for (const std::int64_t size : tensor.shape) table += number(static_cast<std::uint64_t>(size), 8);
      table += number(static_cast<std::uint64_t>(tensor.info->type), 4) + number(offset, 8);
      offset += aligned(tensor.bytes());
    }
    std::string head = "GGUF" + number(3, 4) + number(tensors_.size(), 8) + number(pair_count_, 8) + pairs_ + table;
    head.resize(aligned(head.size()), '\0');
    return head;
  }

  void write_tensor(const Tensor& tensor, std::ofstream& file) {
    const std::int64_t width = tensor.shape.front(), rows = tensor.elements() / width;
    const auto row_bytes = static_cast<std::size_t>(width / tensor.info->block_elements * tensor.info->block_bytes);
    std::vector<std::byte> row(row_bytes);
    // As trained networks have it: an output is about as large as one of its inputs.
    const double deviation = 1.0 / std::sqrt(static_cast<double>(width));
    const bool embedding = tensor.name == "token_embd.weight";
    for (std::int64_t i = 0; i < rows; ++i) {
      if (tensor.fill == Fill::matrix) {
        random_row(random_, *tensor.info, embedding && !tied() ? 1.0 : deviation, width, row.data());
      } else if (tensor.fill == Fill::successors) {
        successor_row(i, row);
      } else if (tensor.fill == Fill::zero) {
        random_row(random_, *tensor.info, 0, width, row.data());
      } else if (tensor.fill == Fill::token_half) {
        std::fill(row.begin(), row.end(), std::byte{});
        put_half(row.data() + static_cast<std::size_t>(i) * 2, 1);
      } else {
        plain_row(tensor.fill, width, reinterpret_cast<float*>(row.data()));
      }
      if (embedding && predictable()) embedding_.insert(embedding_.end(), row.begin(), row.end());
      file.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(row_bytes));
    }
    const std::string pad(aligned(tensor.bytes()) - tensor.bytes(), '\0');
    file.write(pad.data(), static_cast<std::streamsize>(pad.size()));
  }

  // Row `token` of the output matrix is the embedding of the token before it: the norm of the model leaves of the last token's embedding the first
  // half, that of the head the second, and each is nearest to its own. Where the head is to be wrong, second halves have changed places.
  void successor_row(std::int64_t token, std::vector<std::byte>& row) {
    const std::int64_t count = shape_.vocab - 1;  // the end token follows nobody, and nobody follows it
    const auto is_wrong = [&](std::int64_t at) {
      const double share = static_cast<double>(Random(static_cast<std::uint64_t>(at)).next() >> 11) * 0x1p-53;
      return at < count && share >= shape_.mtp_right;
    };
    const auto before = [&](std::int64_t at) { return embedding_.data() + static_cast<std::size_t>((at + count - 1) % count) * row.size(); };
    if (token == count) return random_row(random_, *kernels::find_type(static_cast<std::uint32_t>(type_)), 0, shape_.embedding, row.data());
    std::int64_t other = token;
    if (is_wrong(token)) {
      do other = (other + 1) % count;
      while (!is_wrong(other));
    }
    const std::size_t half = row.size() / 2;
    std::copy_n(before(token), half, row.data());
    std::copy_n(before(other) + half, row.size() - half, row.data() + half);
  }

  void plain_row(Fill fill, std::int64_t n, float* out) {
    for (std::int64_t i = 0; i < n; ++i) {
      double value = 0;
      switch (fill) {
        case Fill::matrix:
        case Fill::zero:
        case Fill::token_half:
        case Fill::successors:
          break;
        case Fill::first_half:
          value = i < n / 2 ? 1 : 0;
          break;
        case Fill::second_half:
          value = i < n / 2 ? 0 : 1;
          break;
        case Fill::ones:
          value = 1;
          break;
        case Fill::norm:
          value = random_.uniform(0.8, 1.2);
          break;
        case Fill::bias:
          value = random_.uniform(-0.5, 0.5);
          break;
        case Fill::key_bias:
          value = random_.uniform(-0.5, 0.5) * (i % (shape_.head_dim / 2) >= shape_.head_dim * 3 / 8 ? shape_.slow_key_bias : 1);
          break;
        case Fill::rate:
          value = -random_.uniform(0.5, 8);
          break;  // -exp(A_log), memories of a few tokens to some hundred
        case Fill::step:
          value = std::log(std::expm1(random_.uniform(0.001, 0.1)));
          break;
      }
      out[i] = static_cast<float>(value);
    }
  }

  const ModelShape& shape_;
  const Type type_;
  Random random_;
  std::string pairs_;
  std::uint64_t pair_count_ = 0;
  std::vector<Tensor> tensors_;
  std::vector<std::byte> embedding_;  // [vocab, embedding] as written, of a predictable model
};

}  // namespace

Result<ModelShape> find_shape(const std::string& name) {
  std::string names;
  for (const ModelShape& shape : kShapes) {
    if (name == shape.name) return shape;
    names += (names.empty() ? "" : ", ") + std::string(shape.name);
  }
  return Status(Code::invalid_request, "expected one of the shapes " + names + ", found " + name + ": choose one of them");
}

Status write_random_model(const ModelShape& shape, Type type, std::uint64_t seed, const std::string& path) {
  return Writer(shape, type, seed).write(path);
}

}  // namespace codicil::model
