// Loading of weights: tensors found, checked against the configuration, read and packed for the op table.
//
// Owns: names and shapes of the tensors of every architecture, and freeing raw bytes as soon as they are packed.
// Leaves the file format to gguf.h and layouts to kernels.h.
// Rule that must stay true: a tensor that is missing, of another shape or of a type that no table takes is refused with its name.
#include "native/model/weights.h"

#include <array>
#include <cstring>
#include <string_view>

namespace codicil::model {

namespace {

using kernels::Ops;
using kernels::Type;

constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325u, kFnvPrime = 0x100000001b3u;

void mix(std::uint64_t& hash, std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * kFnvPrime;
}

std::string shape_text(std::int64_t rows, std::int64_t cols) { return "[" + std::to_string(rows) + ", " + std::to_string(cols) + "]"; }

Status wrong_shape(const GgufTensor& tensor, std::int64_t rows, std::int64_t cols) {
  return Status(Code::model_invalid, "expected tensor " + std::string(tensor.name) + " of shape " + shape_text(rows, cols) +
                                         " by the model's own metadata, found " + shape_text(tensor.rows(), tensor.cols()) +
                                         ": the file is damaged, fetch it again");
}

Status not_computed(const GgufTensor& tensor) {
  return Status(Code::model_unsupported, "expected a tensor type that this build computes, found " + std::string(tensor.type->name) + " in tensor " +
                                             std::string(tensor.name) + ": use a file with another quantization, such as Q4_0, Q8_0 or Q4_K_M");
}

// Memory that a block of matrices asks for at once; what is not written of it costs nothing.
constexpr std::size_t kBlockBytes = std::size_t{32} << 20;

// Packed matrices begin on cache lines.
std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

Result<const GgufTensor*> get_tensor(const Gguf& gguf, const std::string& name) {
  const GgufTensor* tensor = gguf.find_tensor(name);
  if (tensor == nullptr)
    return Status(Code::model_invalid, "expected tensor " + name + " in the file, found none of that name: the file is incomplete, fetch it again");
  return tensor;
}

// The table that computes this type: ours, else the reference. Null: no table does.
const Ops* table_for(const Ops& ops, Type type, std::int64_t rows, std::int64_t cols) {
  if (ops.packed_bytes(type, rows, cols) != 0) return &ops;
  const Ops& reference = kernels::reference();
  return reference.packed_bytes(type, rows, cols) != 0 ? &reference : nullptr;
}

std::string layer_name(std::int64_t layer, const std::string& name) { return "blk." + std::to_string(layer) + "." + name; }

}  // namespace

class WeightLoader {
 public:
  WeightLoader(TensorFile& file, const Gguf& gguf, const ModelConfig& config, const Ops& ops, ThreadPool& pool,
               const std::function<void(double)>& progress)
      : file_(file), gguf_(gguf), config_(config), ops_(ops), pool_(pool), progress_(progress) {
    for (const GgufTensor& tensor : gguf.tensors()) total_bytes_ += tensor.bytes;
    out_.fingerprint_ = kFnvStart;
    mix(out_.fingerprint_, std::as_bytes(std::span(ops.name, std::strlen(ops.name))));  // two tables round differently: their keys must not meet
  }

  Result<ModelWeights> load() {
    out_.layers_.resize(static_cast<std::size_t>(config_.layers));
    if (Status status = load_outside(); !status.ok()) return status;
    for (std::int64_t i = 0; i < config_.layers; ++i) {
      if (Status status = load_layer(i); !status.ok()) return status;
    }
    return std::move(out_);
  }

 private:
  Status load_outside() {
    Result<const GgufTensor*> embedding = get_tensor(gguf_, "token_embd.weight");
    if (!embedding.ok()) return embedding.status();
    const GgufTensor& table = *embedding.value();
    if (table.rows() != config_.vocab || table.cols() != config_.embedding) return wrong_shape(table, config_.vocab, config_.embedding);
    Result<AlignedBuffer> raw = read(table);
    if (!raw.ok()) return raw.status();
    if (config_.tied_embeddings) {
      if (Status status = pack(table, raw.value(), out_.output_); !status.ok()) return status;
    } else if (Status status = load_matrix("output.weight", config_.vocab, config_.embedding, out_.output_); !status.ok()) {
      return status;
    }
    out_.embedding_type_ = table.type;
    out_.embedding_cols_ = config_.embedding;
    out_.embedding_ = keep(std::move(raw).value());
    if (Status status = load_vector("output_norm.weight", config_.embedding, out_.output_norm_); !status.ok()) return status;
    if (config_.rope_factors) return load_vector("rope_freqs.weight", config_.rope_dims / 2, out_.rope_factors_);
    return {};
  }

  // The readers of one layer keep the first failure and do nothing after it, so that a layer is a list of its tensors.
  Status load_layer(std::int64_t index) {
    layer_ = index;
    status_ = Status();
    LayerWeights& layer = out_.layers_[static_cast<std::size_t>(index)];
    const bool hybrid = config_.is_recurrent();
    vector("attn_norm.weight", config_.embedding, layer.mixer_norm);
    if (config_.mixers[static_cast<std::size_t>(index)] == Mixer::attention)
      attention(layer.attention);
    else
      delta(layer.delta);
    vector(hybrid ? "post_attention_norm.weight" : "ffn_norm.weight", config_.embedding, layer.ffn_norm);
    if (config_.experts.count > 0)
      experts(layer.moe);
    else
      mlp("", config_.ffn, layer.mlp);
    return status_;
  }

  void attention(AttentionWeights& w) {
    const std::int64_t width = config_.heads * config_.head_dim, kv = config_.kv_heads * config_.head_dim;
    matrix("attn_q.weight", config_.gated_attention ? 2 * width : width, config_.embedding, w.q);
    matrix("attn_k.weight", kv, config_.embedding, w.k);
    matrix("attn_v.weight", kv, config_.embedding, w.v);
    matrix("attn_output.weight", config_.embedding, width, w.o);
    if (config_.qk_norm) {
      vector("attn_q_norm.weight", config_.head_dim, w.q_norm);
      vector("attn_k_norm.weight", config_.head_dim, w.k_norm);
    }
    if (config_.qkv_bias) {
      vector("attn_q.bias", width, w.q_bias);
      vector("attn_k.bias", kv, w.k_bias);
      vector("attn_v.bias", kv, w.v_bias);
    }
  }

  void delta(DeltaWeights& w) {
    const DeltaShape& d = config_.delta;
    matrix("attn_qkv.weight", d.conv_channels(), config_.embedding, w.qkv);
    matrix("attn_gate.weight", d.value_width(), config_.embedding, w.z);
    matrix("ssm_beta.weight", d.value_heads, config_.embedding, w.beta);
    matrix("ssm_alpha.weight", d.value_heads, config_.embedding, w.alpha);
    const float* by_channel = nullptr;
    vector("ssm_conv1d.weight", d.conv_channels() * d.conv_kernel, by_channel);
    if (status_.ok()) w.taps = by_tap(by_channel);
    vector("ssm_dt.bias", d.value_heads, w.step_bias);
    vector("ssm_a", d.value_heads, w.rate);
    vector("ssm_norm.weight", d.head_dim, w.norm);
    matrix("ssm_out.weight", config_.embedding, d.value_width(), w.out);
  }

  void experts(ExpertWeights& w) {
    const ExpertShape& e = config_.experts;
    matrix("ffn_gate_inp.weight", e.count, config_.embedding, w.router);
    w.experts.resize(static_cast<std::size_t>(e.count));
    expert_matrices("ffn_gate_exps.weight", e.ffn, config_.embedding, w, &MlpWeights::gate);
    expert_matrices("ffn_up_exps.weight", e.ffn, config_.embedding, w, &MlpWeights::up);
    expert_matrices("ffn_down_exps.weight", config_.embedding, e.ffn, w, &MlpWeights::down);
    if (e.shared_ffn == 0) return;
    vector("ffn_gate_inp_shexp.weight", config_.embedding, w.shared_router);
    mlp("_shexp", e.shared_ffn, w.shared);
  }

  void mlp(const std::string& suffix, std::int64_t inner, MlpWeights& w) {
    matrix("ffn_gate" + suffix + ".weight", inner, config_.embedding, w.gate);
    matrix("ffn_up" + suffix + ".weight", inner, config_.embedding, w.up);
    matrix("ffn_down" + suffix + ".weight", config_.embedding, inner, w.down);
  }

  void matrix(const std::string& name, std::int64_t rows, std::int64_t cols, Matrix& out) {
    if (status_.ok()) status_ = load_matrix(layer_name(layer_, name), rows, cols, out);
  }
  void vector(const std::string& name, std::int64_t n, const float*& out) {
    if (status_.ok()) status_ = load_vector(layer_name(layer_, name), n, out);
  }

  // One tensor [experts][rows, cols]: every expert is packed as a matrix of its own, in one buffer.
  void expert_matrices(const std::string& name, std::int64_t rows, std::int64_t cols, ExpertWeights& w, Matrix MlpWeights::* field) {
    if (!status_.ok()) return;
    const std::int64_t count = config_.experts.count;
    Result<const GgufTensor*> tensor = get_tensor(gguf_, layer_name(layer_, name));
    if (!tensor.ok()) return keep_status(tensor.status());
    const GgufTensor& t = *tensor.value();
    if (t.cols() != cols || t.shape[1] != rows || t.rows() != rows * count) return keep_status(wrong_shape(t, rows * count, cols));
    const Ops* table = table_of(t, rows);
    if (table == nullptr) return keep_status(not_computed(t));
    Result<AlignedBuffer> raw = read(t);
    if (!raw.ok()) return keep_status(raw.status());
    const std::size_t raw_bytes = t.bytes / static_cast<std::size_t>(count);
    const std::size_t packed_bytes = aligned(table->packed_bytes(t.type->type, rows, cols));
    Result<AlignedBuffer> packed = AlignedBuffer::allocate(packed_bytes * static_cast<std::size_t>(count));
    if (!packed.ok()) return keep_status(packed.status());
    std::byte* target = packed.value().data();
    pool_.parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t e = begin; e < end; ++e) {
        const auto at = static_cast<std::size_t>(e);
        table->pack(t.type->type, raw.value().data() + at * raw_bytes, rows, cols, target + at * packed_bytes, 0, rows);
      }
    });
    const std::byte* data = keep(std::move(packed).value());
    for (std::int64_t e = 0; e < count; ++e) {
      const auto at = static_cast<std::size_t>(e);
      w.experts[at].*field = {{t.type->type, rows, cols, data + at * packed_bytes}, table};
    }
  }
  void keep_status(Status status) { status_ = std::move(status); }

  // GGUF has the taps of a channel together; the convolution walks channels, tap by tap.
  const float* by_tap(const float* by_channel) {
    const std::int64_t channels = config_.delta.conv_channels(), kernel = config_.delta.conv_kernel;
    Result<AlignedBuffer> buffer = AlignedBuffer::allocate(static_cast<std::size_t>(channels * kernel) * sizeof(float));
    if (!buffer.ok()) {
      status_ = buffer.status();
      return nullptr;
    }
    auto* taps = buffer.value().as<float>();
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t j = 0; j < kernel; ++j) taps[j * channels + c] = by_channel[c * kernel + j];
    return reinterpret_cast<const float*>(keep(std::move(buffer).value()));
  }

  Result<AlignedBuffer> read(const GgufTensor& tensor) {
    Result<AlignedBuffer> raw = file_.read(tensor);
    if (!raw.ok()) return raw;
    const std::span<const std::byte> bytes(raw.value().data(), tensor.bytes);
    mix(out_.fingerprint_, std::as_bytes(std::span(tensor.name)));
    // 8 bytes of every 4096: two fine-tunes of one shape differ in nearly all of them, and hashing costs nothing.
    for (std::size_t at = 0; at < bytes.size(); at += 4096) mix(out_.fingerprint_, bytes.subspan(at, std::min<std::size_t>(8, bytes.size() - at)));
    done_bytes_ += tensor.bytes;
    if (progress_ && total_bytes_ > 0) progress_(static_cast<double>(done_bytes_) / static_cast<double>(total_bytes_));
    return raw;
  }

  const std::byte* keep(AlignedBuffer buffer) {
    out_.bytes_ += buffer.size();
    out_.buffers_.push_back(std::move(buffer));
    return out_.buffers_.back().data();
  }

  const Ops* table_of(const GgufTensor& tensor, std::int64_t rows) const {
    return tensor.type->implemented ? table_for(ops_, tensor.type->type, rows, tensor.cols()) : nullptr;
  }

  Status pack(const GgufTensor& tensor, const AlignedBuffer& raw, Matrix& out) {
    const Type type = tensor.type->type;
    const Ops* table = table_of(tensor, tensor.rows());
    if (table == nullptr) return not_computed(tensor);
    Result<std::byte*> target = place(table->packed_bytes(type, tensor.rows(), tensor.cols()));
    if (!target.ok()) return target.status();
    pool_.parallel_for(0, tensor.rows(), table->pack_rows, [&](std::int64_t begin, std::int64_t end, int) {
      table->pack(type, raw.data(), tensor.rows(), tensor.cols(), target.value(), begin, end);
    });
    out.ops = table;
    out.weights = {type, tensor.rows(), tensor.cols(), target.value()};
    return {};
  }

  // Room for a matrix. Small ones lie one behind the other in blocks of huge pages: by 4 KiB pages of their own a token of the Reader walks
  // 22,000 page tables.
  Result<std::byte*> place(std::size_t bytes) {
    bytes = aligned(bytes);
    if (bytes > block_left_) {
      Result<AlignedBuffer> block = AlignedBuffer::allocate(std::max(bytes, kBlockBytes));
      if (!block.ok()) return block.status();
      block_left_ = block.value().size();
      out_.buffers_.push_back(std::move(block).value());
      block_next_ = out_.buffers_.back().data();
    }
    std::byte* at = block_next_;
    block_next_ += bytes;
    block_left_ -= bytes;
    out_.bytes_ += bytes;
    return at;
  }

  Status load_matrix(const std::string& name, std::int64_t rows, std::int64_t cols, Matrix& out) {
    Result<const GgufTensor*> tensor = get_tensor(gguf_, name);
    if (!tensor.ok()) return tensor.status();
    if (tensor.value()->rows() != rows || tensor.value()->cols() != cols) return wrong_shape(*tensor.value(), rows, cols);
    Result<AlignedBuffer> raw = read(*tensor.value());
    if (!raw.ok()) return raw.status();
    return pack(*tensor.value(), raw.value(), out);
  }

  Status load_vector(const std::string& name, std::int64_t n, const float*& out) {
    Result<const GgufTensor*> tensor = get_tensor(gguf_, name);
    if (!tensor.ok()) return tensor.status();
    if (tensor.value()->elements() != n) return wrong_shape(*tensor.value(), 1, n);
    if (!tensor.value()->type->implemented) {
      return Status(Code::model_unsupported, "expected tensor " + name + " in a type that this build reads, found " +
                                                 std::string(tensor.value()->type->name) + ": use another file");
    }
    Result<AlignedBuffer> raw = read(*tensor.value());
    if (!raw.ok()) return raw.status();
    Result<AlignedBuffer> values = AlignedBuffer::allocate(static_cast<std::size_t>(n) * sizeof(float));
    if (!values.ok()) return values.status();
    ops_.dequantize_row(tensor.value()->type->type, raw.value().data(), values.value().as<float>(), n);
    out = reinterpret_cast<const float*>(keep(std::move(values).value()));
    return {};
  }

  TensorFile& file_;
  const Gguf& gguf_;
  const ModelConfig& config_;
  const Ops& ops_;
  ThreadPool& pool_;
  const std::function<void(double)>& progress_;
  std::uint64_t total_bytes_ = 0, done_bytes_ = 0;
  std::byte* block_next_ = nullptr;  // in the newest block of small matrices
  std::size_t block_left_ = 0;
  std::int64_t layer_ = 0;  // being read
  Status status_;           // of that layer
  ModelWeights out_;
};

Result<ModelWeights> ModelWeights::load(TensorFile& file, const Gguf& gguf, const ModelConfig& config, const Ops& ops, ThreadPool& pool,
                                        const std::function<void(double)>& progress) {
  return WeightLoader(file, gguf, config, ops, pool, progress).load();
}

Result<std::uint64_t> ModelWeights::planned_bytes(const Gguf& gguf, const ModelConfig& config, const Ops& ops) {
  std::uint64_t bytes = 0;
  const auto add_packed = [&](const GgufTensor& tensor) {
    // A tensor of three dimensions holds the matrices of many experts.
    const std::int64_t count = tensor.dimensions == 3 ? tensor.shape[2] : 1, rows = tensor.rows() / count;
    const Ops* table = tensor.type->implemented ? table_for(ops, tensor.type->type, rows, tensor.cols()) : nullptr;
    // A type that no table takes is refused by load(); the plan then still says how large the file's own form is.
    const std::size_t each =
        table != nullptr ? table->packed_bytes(tensor.type->type, rows, tensor.cols()) : tensor.bytes / static_cast<std::size_t>(count);
    bytes += count == 1 ? each : aligned(each) * static_cast<std::size_t>(count);
  };
  for (const GgufTensor& tensor : gguf.tensors()) {
    if (tensor.name == "token_embd.weight") {
      bytes += tensor.bytes;
      if (config.tied_embeddings) add_packed(tensor);
    } else if (tensor.dimensions == 1) {
      bytes += static_cast<std::uint64_t>(tensor.elements()) * sizeof(float);
    } else {
      add_packed(tensor);
    }
  }
  return bytes;
}

void ModelWeights::embed(const Ops& ops, std::int32_t token, float* out) const {
  const std::size_t row_bytes = static_cast<std::size_t>(embedding_cols_ / embedding_type_->block_elements * embedding_type_->block_bytes);
  ops.dequantize_row(embedding_type_->type, embedding_ + row_bytes * static_cast<std::size_t>(token), out, embedding_cols_);
}

}  // namespace codicil::model
