// Loading of weights: tensors found, checked against the configuration, read and packed for the op table.
//
// Owns: names and shapes of the tensors of `llama` and `qwen2`, and freeing raw bytes as soon as they are packed.
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

struct MatrixName {
  Matrix LayerWeights::* field;
  const char* name;
};
struct VectorName {
  const float* LayerWeights::* field;
  const char* name;
};
constexpr std::array<MatrixName, 7> kLayerMatrices{{{&LayerWeights::q, "attn_q.weight"},
                                                    {&LayerWeights::k, "attn_k.weight"},
                                                    {&LayerWeights::v, "attn_v.weight"},
                                                    {&LayerWeights::o, "attn_output.weight"},
                                                    {&LayerWeights::gate, "ffn_gate.weight"},
                                                    {&LayerWeights::up, "ffn_up.weight"},
                                                    {&LayerWeights::down, "ffn_down.weight"}}};
constexpr std::array<VectorName, 2> kLayerNorms{{{&LayerWeights::attn_norm, "attn_norm.weight"}, {&LayerWeights::ffn_norm, "ffn_norm.weight"}}};
constexpr std::array<VectorName, 3> kLayerBiases{
    {{&LayerWeights::q_bias, "attn_q.bias"}, {&LayerWeights::k_bias, "attn_k.bias"}, {&LayerWeights::v_bias, "attn_v.bias"}}};

struct Shape {
  std::int64_t rows, cols;
};
Shape matrix_shape(const ModelConfig& c, Matrix LayerWeights::* field) {
  const std::int64_t q = c.heads * c.head_dim, kv = c.kv_heads * c.head_dim;
  if (field == &LayerWeights::q) return {q, c.embedding};
  if (field == &LayerWeights::k || field == &LayerWeights::v) return {kv, c.embedding};
  if (field == &LayerWeights::o) return {c.embedding, q};
  if (field == &LayerWeights::down) return {c.embedding, c.ffn};
  return {c.ffn, c.embedding};
}

std::string layer_name(std::int64_t layer, const char* name) { return "blk." + std::to_string(layer) + "." + name; }

}  // namespace

class WeightLoader {
 public:
  WeightLoader(const File& file, const Gguf& gguf, const ModelConfig& config, const Ops& ops, ThreadPool& pool,
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

  Status load_layer(std::int64_t index) {
    LayerWeights& layer = out_.layers_[static_cast<std::size_t>(index)];
    for (const MatrixName& m : kLayerMatrices) {
      const Shape shape = matrix_shape(config_, m.field);
      if (Status status = load_matrix(layer_name(index, m.name), shape.rows, shape.cols, layer.*m.field); !status.ok()) return status;
    }
    for (const VectorName& v : kLayerNorms) {
      if (Status status = load_vector(layer_name(index, v.name), config_.embedding, layer.*v.field); !status.ok()) return status;
    }
    if (!config_.qkv_bias) return {};
    const std::int64_t kv = config_.kv_heads * config_.head_dim;
    for (const VectorName& v : kLayerBiases) {
      const std::int64_t n = v.field == &LayerWeights::q_bias ? config_.heads * config_.head_dim : kv;
      if (Status status = load_vector(layer_name(index, v.name), n, layer.*v.field); !status.ok()) return status;
    }
    return {};
  }

  Result<AlignedBuffer> read(const GgufTensor& tensor) {
    Result<AlignedBuffer> raw = file_.read_range(tensor.offset, tensor.bytes);
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

  Status pack(const GgufTensor& tensor, const AlignedBuffer& raw, Matrix& out) {
    const Type type = tensor.type->type;
    const Ops* table = tensor.type->implemented ? table_for(ops_, type, tensor.rows(), tensor.cols()) : nullptr;
    if (table == nullptr) {
      return Status(Code::model_unsupported, "expected a tensor type that this build computes, found " + std::string(tensor.type->name) +
                                                 " in tensor " + std::string(tensor.name) +
                                                 ": use a file with another quantization, such as Q4_0, Q8_0 or Q4_K_M");
    }
    Result<AlignedBuffer> packed = AlignedBuffer::allocate(table->packed_bytes(type, tensor.rows(), tensor.cols()));
    if (!packed.ok()) return packed.status();
    std::byte* target = packed.value().data();
    pool_.parallel_for(0, tensor.rows(), table->pack_rows, [&](std::int64_t begin, std::int64_t end, int) {
      table->pack(type, raw.data(), tensor.rows(), tensor.cols(), target, begin, end);
    });
    out.ops = table;
    out.weights = {type, tensor.rows(), tensor.cols(), keep(std::move(packed).value())};
    return {};
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

  const File& file_;
  const Gguf& gguf_;
  const ModelConfig& config_;
  const Ops& ops_;
  ThreadPool& pool_;
  const std::function<void(double)>& progress_;
  std::uint64_t total_bytes_ = 0, done_bytes_ = 0;
  ModelWeights out_;
};

Result<ModelWeights> ModelWeights::load(const std::string& path, const Gguf& gguf, const ModelConfig& config, const Ops& ops, ThreadPool& pool,
                                        const std::function<void(double)>& progress) {
  Result<File> file = File::open(path);
  if (!file.ok()) return file.status();
  return WeightLoader(file.value(), gguf, config, ops, pool, progress).load();
}

Result<std::uint64_t> ModelWeights::planned_bytes(const Gguf& gguf, const ModelConfig& config, const Ops& ops) {
  std::uint64_t bytes = 0;
  const auto add_packed = [&](const GgufTensor& tensor) {
    const Ops* table = tensor.type->implemented ? table_for(ops, tensor.type->type, tensor.rows(), tensor.cols()) : nullptr;
    // A type that no table takes is refused by load(); the plan then still says how large the file's own form is.
    bytes += table != nullptr ? table->packed_bytes(tensor.type->type, tensor.rows(), tensor.cols()) : tensor.bytes;
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
