// See weight_list.h. A layer is described once, as a list of its tensors; a visitor either lists them or points at them.
#include "native/model/weight_list.h"

#include <cstdint>

namespace codicil::model {

namespace {

using kernels::Ops;
using kernels::Type;
using Form = WeightItem::Form;

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

// Packed matrices begin on cache lines.
std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// The table that computes this type: ours, else the reference. Null: no table does.
const Ops* table_for(const Ops& ops, const GgufTensor& tensor, std::int64_t rows) {
  if (!tensor.type->implemented) return nullptr;
  if (ops.packed_bytes(tensor.type->type, rows, tensor.cols()) != 0) return &ops;
  const Ops& reference = kernels::reference();
  return reference.packed_bytes(tensor.type->type, rows, tensor.cols()) != 0 ? &reference : nullptr;
}

std::size_t packed_bytes(const WeightItem& item) { return aligned(item.ops->packed_bytes(item.tensor->type->type, item.rows, item.cols)); }

// --- what a layer is made of -----------------------------------------------------------------------------------------------------

template <typename Visitor>
void visit_attention(const ModelConfig& c, AttentionWeights& w, Visitor& visit) {
  const std::int64_t width = c.heads * c.head_dim, kv = c.kv_heads * c.head_dim;
  visit.matrix("attn_q.weight", c.gated_attention ? 2 * width : width, c.embedding, w.q);
  visit.matrix("attn_k.weight", kv, c.embedding, w.k);
  visit.matrix("attn_v.weight", kv, c.embedding, w.v);
  visit.matrix("attn_output.weight", c.embedding, width, w.o);
  if (c.qk_norm) {
    visit.vector("attn_q_norm.weight", c.head_dim, w.q_norm);
    visit.vector("attn_k_norm.weight", c.head_dim, w.k_norm);
  }
  if (c.qkv_bias) {
    visit.vector("attn_q.bias", width, w.q_bias);
    visit.vector("attn_k.bias", kv, w.k_bias);
    visit.vector("attn_v.bias", kv, w.v_bias);
  }
}

template <typename Visitor>
void visit_delta(const ModelConfig& c, DeltaWeights& w, Visitor& visit) {
  const DeltaShape& d = c.delta;
  visit.matrix("attn_qkv.weight", d.conv_channels(), c.embedding, w.qkv);
  visit.matrix("attn_gate.weight", d.value_width(), c.embedding, w.z);
  visit.matrix("ssm_beta.weight", d.value_heads, c.embedding, w.beta);
  visit.matrix("ssm_alpha.weight", d.value_heads, c.embedding, w.alpha);
  visit.vector("ssm_conv1d.weight", d.conv_channels() * d.conv_kernel, w.taps, Form::taps);
  visit.vector("ssm_dt.bias", d.value_heads, w.step_bias);
  visit.vector("ssm_a", d.value_heads, w.rate);
  visit.vector("ssm_norm.weight", d.head_dim, w.norm);
  visit.matrix("ssm_out.weight", c.embedding, d.value_width(), w.out);
}

template <typename Visitor>
void visit_mlp(const ModelConfig& c, const std::string& suffix, std::int64_t inner, MlpWeights& w, Visitor& visit) {
  visit.matrix("ffn_gate" + suffix + ".weight", inner, c.embedding, w.gate);
  visit.matrix("ffn_up" + suffix + ".weight", inner, c.embedding, w.up);
  visit.matrix("ffn_down" + suffix + ".weight", c.embedding, inner, w.down);
}

template <typename Visitor>
void visit_experts(const ModelConfig& c, ExpertWeights& w, Visitor& visit) {
  const ExpertShape& e = c.experts;
  visit.matrix("ffn_gate_inp.weight", e.count, c.embedding, w.router);
  visit.expert("ffn_gate_exps.weight", e.ffn, c.embedding);
  visit.expert("ffn_up_exps.weight", e.ffn, c.embedding);
  visit.expert("ffn_down_exps.weight", c.embedding, e.ffn);
  if (e.shared_ffn == 0) return;
  visit.vector("ffn_gate_inp_shexp.weight", c.embedding, w.shared_router);
  visit_mlp(c, "_shexp", e.shared_ffn, w.shared, visit);
}

template <typename Visitor>
void visit_head(const ModelConfig& c, HeadWeights& w, Visitor& visit) {
  visit.vector("nextn.enorm.weight", c.embedding, w.token_norm);
  visit.vector("nextn.hnorm.weight", c.embedding, w.hidden_norm);
  visit.matrix("nextn.eh_proj.weight", c.embedding, 2 * c.embedding, w.join);
  if (c.mtp_norm) visit.vector("nextn.shared_head_norm.weight", c.embedding, w.output_norm);
}

template <typename Visitor>
void visit_layer(const ModelConfig& c, std::int64_t index, LayerWeights& layer, Visitor& visit) {
  if (index >= c.layers) visit_head(c, layer.head, visit);
  visit.vector("attn_norm.weight", c.embedding, layer.mixer_norm);
  if (c.mixers[static_cast<std::size_t>(index)] == Mixer::attention)
    visit_attention(c, layer.attention, visit);
  else
    visit_delta(c, layer.delta, visit);
  visit.vector(c.is_recurrent() ? "post_attention_norm.weight" : "ffn_norm.weight", c.embedding, layer.ffn_norm);
  if (c.experts.count > 0)
    visit_experts(c, layer.moe, visit);
  else
    visit_mlp(c, "", c.ffn, layer.mlp, visit);
}

// --- the two visitors ------------------------------------------------------------------------------------------------------------

// Lists the tensors of a block. The first failure is kept and nothing done after it, so that a layer is a plain list.
class Lister {
 public:
  Lister(const Gguf& gguf, const Ops& ops, std::int64_t experts, std::string prefix, WeightBlock& out)
      : gguf_(gguf), ops_(ops), experts_(experts), prefix_(std::move(prefix)), out_(out) {}
  const Status& status() const { return status_; }

  void matrix(const std::string& name, std::int64_t rows, std::int64_t cols, Matrix&) {
    const GgufTensor* tensor = find(name);
    if (tensor == nullptr) return;
    if (tensor->rows() != rows || tensor->cols() != cols) return fail(wrong_shape(*tensor, rows, cols));
    add(out_.items, out_.bytes, *tensor, rows);
  }
  void vector(const std::string& name, std::int64_t n, const float*&, Form form = Form::vector) {
    const GgufTensor* tensor = find(name);
    if (tensor == nullptr) return;
    if (tensor->elements() != n) return fail(wrong_shape(*tensor, 1, n));
    if (!tensor->type->implemented)
      return fail(Status(Code::model_unsupported, "expected tensor " + std::string(tensor->name) + " in a type that this build reads, found " +
                                                      std::string(tensor->type->name) + ": use another file"));
    out_.items.push_back({tensor, form, nullptr, tensor->rows(), tensor->cols(), out_.bytes, 0});
    out_.bytes += aligned(static_cast<std::size_t>(n) * sizeof(float));
  }
  void expert(const std::string& name, std::int64_t rows, std::int64_t cols) {
    const GgufTensor* tensor = find(name);
    if (tensor == nullptr) return;
    if (tensor->cols() != cols || tensor->shape[1] != rows || tensor->rows() != rows * experts_)
      return fail(wrong_shape(*tensor, rows * experts_, cols));
    add(out_.experts, out_.expert_bytes, *tensor, rows);
  }
  // The table that tokens are looked up in, and the output matrix too where the model has no other.
  void embedding(std::int64_t rows, std::int64_t cols, bool tied) {
    const GgufTensor* tensor = find("token_embd.weight");
    if (tensor == nullptr) return;
    if (tensor->rows() != rows || tensor->cols() != cols) return fail(wrong_shape(*tensor, rows, cols));
    WeightItem item{tensor, Form::embedding, nullptr, rows, cols, out_.bytes, 0};
    out_.bytes += aligned(static_cast<std::size_t>(tensor->bytes));
    if (tied) {
      item.ops = table_for(ops_, *tensor, rows);
      if (item.ops == nullptr) return fail(not_computed(*tensor));
      item.packed_offset = out_.bytes;
      out_.bytes += packed_bytes(item);
    }
    out_.items.push_back(item);
  }

 private:
  const GgufTensor* find(const std::string& name) {
    if (!status_.ok()) return nullptr;
    const GgufTensor* tensor = gguf_.find_tensor(prefix_ + name);
    if (tensor == nullptr)
      fail(Status(Code::model_invalid,
                  "expected tensor " + prefix_ + name + " in the file, found none of that name: the file is incomplete, fetch it again"));
    return tensor;
  }
  void add(std::vector<WeightItem>& items, std::size_t& bytes, const GgufTensor& tensor, std::int64_t rows) {
    const Ops* table = table_for(ops_, tensor, rows);
    if (table == nullptr) return fail(not_computed(tensor));
    items.push_back({&tensor, Form::matrix, table, rows, tensor.cols(), bytes, 0});
    bytes += packed_bytes(items.back());
  }
  void fail(Status status) { status_ = std::move(status); }

  const Gguf& gguf_;
  const Ops& ops_;
  const std::int64_t experts_;
  const std::string prefix_;
  WeightBlock& out_;
  Status status_;
};

Matrix matrix_at(const WeightItem& item, const std::byte* data) { return {{item.tensor->type->type, item.rows, item.cols, data}, item.ops}; }

// Points at what a Lister listed, in the same order.
class Binder {
 public:
  Binder(const WeightBlock& block, const std::byte* base) : item_(block.items.data()), base_(base) {}
  void matrix(const std::string&, std::int64_t, std::int64_t, Matrix& out) {
    out = matrix_at(*item_, base_ + item_->offset);
    ++item_;
  }
  void vector(const std::string&, std::int64_t, const float*& out, Form = Form::vector) {
    out = reinterpret_cast<const float*>(base_ + item_->offset);
    ++item_;
  }
  void expert(const std::string&, std::int64_t, std::int64_t) {}

 private:
  const WeightItem* item_;
  const std::byte* base_;
};

}  // namespace

std::uint64_t WeightList::trunk_bytes() const {
  std::uint64_t bytes = outside.bytes;
  for (const WeightBlock& layer : layers) bytes += layer.bytes;
  return bytes;
}

std::uint64_t WeightList::expert_bytes() const {
  std::uint64_t bytes = 0;
  for (const WeightBlock& layer : layers) bytes += layer.expert_bytes * static_cast<std::uint64_t>(expert_count);
  return bytes;
}

Result<WeightList> list_weights(const Gguf& gguf, const ModelConfig& c, const Ops& ops) {
  WeightList list;
  list.expert_count = c.experts.count;
  Lister outside(gguf, ops, 0, "", list.outside);
  Matrix matrix;
  const float* vector = nullptr;
  outside.embedding(c.vocab, c.embedding, c.tied_embeddings);
  if (!c.tied_embeddings) outside.matrix("output.weight", c.vocab, c.embedding, matrix);
  outside.vector("output_norm.weight", c.embedding, vector);
  if (c.rope_factors) outside.vector("rope_freqs.weight", c.rope_dims / 2, vector);
  if (!outside.status().ok()) return outside.status();
  list.layers.resize(static_cast<std::size_t>(c.blocks()));
  for (std::int64_t i = 0; i < c.blocks(); ++i) {
    LayerWeights layer;
    Lister lister(gguf, ops, c.experts.count, "blk." + std::to_string(i) + ".", list.layers[static_cast<std::size_t>(i)]);
    visit_layer(c, i, layer, lister);
    if (lister.status().ok()) continue;
    if (i < c.layers) return lister.status();
    return Status(lister.status().code(),
                  lister.status().message() + "; or open it with drafting lookup or off, which leave its head for drafting aside");
  }
  return list;
}

void bind_layer(const WeightBlock& block, const ModelConfig& config, std::int64_t index, const std::byte* base, LayerWeights& out) {
  Binder binder(block, base);
  visit_layer(config, index, out, binder);
  if (block.experts.empty()) return;
  MlpWeights expert = place_expert(block, nullptr);
  for (Matrix* m : {&expert.gate, &expert.up, &expert.down}) m->weights.data = nullptr;
  out.moe.experts.assign(static_cast<std::size_t>(config.experts.count), expert);
}

MlpWeights place_expert(const WeightBlock& block, const std::byte* base) {
  const auto at = [&](std::size_t i) { return matrix_at(block.experts[i], base == nullptr ? nullptr : base + block.experts[i].offset); };
  return {at(0), at(1), at(2)};
}

void write_part(const WeightItem& item, std::span<const std::byte> raw, std::int64_t first_row, std::int64_t rows, std::byte* base) {
  const Type type = item.tensor->type->type;
  const std::int64_t row_bytes = static_cast<std::int64_t>(raw.size()) / rows;
  // pack() takes the place of the whole matrix in the file: where it would begin if all of it lay around this part.
  const auto pack = [&](std::byte* target) {
    const std::uintptr_t whole = reinterpret_cast<std::uintptr_t>(raw.data()) - static_cast<std::uintptr_t>(first_row * row_bytes);
    item.ops->pack(type, reinterpret_cast<const void*>(whole), item.rows, item.cols, target, first_row, first_row + rows);
  };
  switch (item.form) {
    case Form::matrix:
      return pack(base + item.offset);
    case Form::embedding:
      std::copy(raw.begin(), raw.end(), base + item.offset + static_cast<std::size_t>(first_row * row_bytes));
      if (item.ops != nullptr) pack(base + item.packed_offset);
      return;
    case Form::vector:
      return kernels::reference().dequantize_row(type, raw.data(), reinterpret_cast<float*>(base + item.offset) + first_row * item.cols,
                                                 rows * item.cols);
    case Form::taps: {
      // The file has the taps of a channel together; the convolution walks channels, tap by tap.
      const std::int64_t kernel = item.cols;
      std::vector<float> channel(static_cast<std::size_t>(kernel));
      auto* taps = reinterpret_cast<float*>(base + item.offset);
      for (std::int64_t c = first_row; c < first_row + rows; ++c) {
        kernels::reference().dequantize_row(type, raw.data() + (c - first_row) * row_bytes, channel.data(), kernel);
        for (std::int64_t j = 0; j < kernel; ++j) taps[j * item.rows + c] = channel[static_cast<std::size_t>(j)];
      }
    }
  }
}

}  // namespace codicil::model
