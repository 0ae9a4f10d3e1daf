// The parts that layers are made of. See lane.h.

#include "native/model/lane.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace codicil::model {

using kernels::Ops;

void Lane::multiply(std::initializer_list<Product> products, const float* input, std::int64_t cols) const {
  // Inputs are prepared once for each weight type in the list; tables may differ too (the reference stands in for missing types).
  struct Prepared {
    const Ops* ops;
    kernels::Type type;
    kernels::Activations x;
  };
  std::array<Prepared, 3> prepared{};
  std::size_t count = 0;
  const auto find = [&](const Matrix& m) -> Prepared& {
    for (std::size_t i = 0; i < count; ++i) {
      if (prepared[i].ops == m.ops && prepared[i].type == m.weights.type) return prepared[i];
    }
    assert(count < prepared.size());
    Prepared& p = prepared[count];
    p = {m.ops, m.weights.type, {tokens, cols, activations[count]}};
    count += 1;
    const auto prepare = [&](std::int64_t begin, std::int64_t end) { p.ops->prepare(p.type, input, cols, p.x, begin, end); };
    if (pool == nullptr || tokens < 8) {
      prepare(0, tokens);
    } else {
      pool->parallel_for(0, tokens, 1, [&](std::int64_t begin, std::int64_t end, int) { prepare(begin, end); });
    }
    return p;
  };
  struct Part {
    const Product* product;
    const Prepared* prepared;
    std::int64_t first_unit, units;
  };
  std::array<Part, kProducts> parts{};
  assert(products.size() <= parts.size());
  std::size_t n = 0;
  std::int64_t all_units = 0;
  for (const Product& product : products) {
    const std::int64_t units = (product.matrix.rows() + product.matrix.ops->pack_rows - 1) / product.matrix.ops->pack_rows;
    parts[n++] = {&product, &find(product.matrix), all_units, units};
    all_units += units;
  }
  const auto compute = [&](std::int64_t begin, std::int64_t end) {
    for (std::size_t i = 0; i < n; ++i) {
      const Part& part = parts[i];
      const std::int64_t from = std::max(begin, part.first_unit), to = std::min(end, part.first_unit + part.units);
      if (from >= to) continue;
      const Matrix& m = part.product->matrix;
      const std::int64_t row_begin = (from - part.first_unit) * m.ops->pack_rows,
                         row_end = std::min(m.rows(), (to - part.first_unit) * m.ops->pack_rows);
      m.ops->matmul(m.weights, part.prepared->x, part.product->out, m.rows(), row_begin, row_end);
      if (part.product->bias == nullptr) continue;
      for (std::int64_t t = 0; t < tokens; ++t)
        m.ops->add(part.product->out + t * m.rows() + row_begin, part.product->bias + row_begin, row_end - row_begin);
    }
  };
  if (pool == nullptr) {
    compute(0, all_units);
  } else {
    pool->parallel_for(0, all_units, 1, [&](std::int64_t begin, std::int64_t end, int) { compute(begin, end); });
  }
}

void norm_input(const ModelConfig& c, const Lane& lane, const float* norm) {
  lane.each_token([&](std::int64_t t) { lane.ops.rms_norm(lane.x + t * c.embedding, norm, c.rms_eps, lane.h + t * c.embedding, c.embedding); });
}

void norm_heads(const ModelConfig& c, const Lane& lane, float* rows, std::int64_t heads, const float* norm) {
  lane.each_token([&](std::int64_t t) {
    for (std::int64_t head = 0; head < heads; ++head) {
      float* values = rows + (t * heads + head) * c.head_dim;
      lane.ops.rms_norm(values, norm, c.rms_eps, values, c.head_dim);
    }
  });
}

KvLayout kv_layout(const kv::PageShape& shape) {
  using kernels::KvType;
  KvLayout out;
  switch (shape.format) {
    case kv::Format::f16:
      break;
    case kv::Format::q8_0:
      out.k_type = out.v_type = KvType::q8_0;
      break;
    case kv::Format::k8v4:
      out.k_type = KvType::q8_0, out.v_type = KvType::q4;
      break;
    case kv::Format::k8v5:
      out.k_type = KvType::q8_0, out.v_type = KvType::q5;
      break;
    case kv::Format::q4:
      out.k_type = out.v_type = KvType::q4;
      break;
    case kv::Format::nf4:
      out.k_type = out.v_type = KvType::nf4;
      break;
  }
  static_assert(kv::kFormatBlock == kernels::kKvBlock && kv::kRotationBlock == kernels::kHadamardBlock);
  assert(shape.key_bytes() == static_cast<std::size_t>(kernels::kv_row_bytes(out.k_type, shape.head_dim)));
  assert(shape.value_bytes() == static_cast<std::size_t>(kernels::kv_row_bytes(out.v_type, shape.head_dim)));
  out.rotated = shape.is_rotated();
  out.k_head_bytes = kv::kPageTokens * static_cast<std::int64_t>(shape.key_bytes());
  out.v_head_bytes = kv::kPageTokens * static_cast<std::int64_t>(shape.value_bytes());
  out.v_bytes = shape.kv_heads * out.k_head_bytes;
  out.layer_bytes = static_cast<std::int64_t>(shape.layer_bytes());
  return out;
}

void rotate_and_store(const ModelConfig& c, const Lane& lane) {
  const std::int64_t width = c.heads * c.head_dim;
  lane.each_token([&](std::int64_t t) {
    float* q = lane.q + t * width;
    lane.ops.rope(c.rope_kind, q, static_cast<int>(c.heads), static_cast<int>(c.head_dim), c.rope_dims, lane.angles[t]);
    if (lane.kv.rotated) lane.ops.hadamard(q, width);
  });
  store_keys(c, lane);
}

void store_keys(const ModelConfig& c, const Lane& lane) {
  const Ops& ops = lane.ops;
  const auto kv_heads = static_cast<int>(c.kv_heads), head_dim = static_cast<int>(c.head_dim);
  const std::int64_t kv_width = c.kv_heads * c.head_dim;
  lane.each_token([&](std::int64_t t) {
    float *k = lane.k + t * kv_width, *v = lane.v + t * kv_width;
    ops.rope(c.rope_kind, k, kv_heads, head_dim, c.rope_dims, lane.angles[t]);
    if (lane.kv.rotated) {
      ops.hadamard(k, kv_width);
      ops.hadamard(v, kv_width);
    }
    if (const float* mean = lane.key_means[t])
      for (std::int64_t i = 0; i < kv_width; ++i) k[i] -= mean[i];
    for (std::int64_t head = 0; head < c.kv_heads; ++head) {
      ops.store_key(lane.kv.k_type, k + head * c.head_dim, lane.k_groups[t] + head * lane.kv.k_head_bytes, lane.slots[t] % kernels::kKvGroup,
                    c.head_dim);
      ops.store_kv(lane.kv.v_type, v + head * c.head_dim, lane.v_rows[t] + head * lane.kv.v_head_bytes, c.head_dim);
    }
  });
}

void add_and_norm(const ModelConfig& c, const Lane& lane, const float* norm) {
  lane.each_token([&](std::int64_t t) {
    float* x = lane.x + t * c.embedding;
    float* h = lane.h + t * c.embedding;
    lane.ops.add(x, h, c.embedding);
    lane.ops.rms_norm(x, norm, c.rms_eps, h, c.embedding);
  });
}

void add_mlp(const ModelConfig& c, const Lane& lane, const MlpWeights& w) {
  const std::int64_t inner = w.gate.rows();
  lane.multiply({{w.gate, lane.gate}, {w.up, lane.up}}, lane.h, c.embedding);
  lane.each_token([&](std::int64_t t) { lane.ops.silu_mul(lane.gate + t * inner, lane.up + t * inner, inner); });
  lane.multiply({{w.down, lane.h}}, lane.gate, inner);
  lane.each_token([&](std::int64_t t) { lane.ops.add(lane.x + t * c.embedding, lane.h + t * c.embedding, c.embedding); });
}

namespace {

// The `used` largest logits, best first, the lower index at a tie; weights: their softmax, which is the renormalised softmax over all.
void take_best(const float* logits, std::int64_t count, std::int64_t used, std::int32_t* choice, float* weight) {
  for (std::int64_t n = 0; n < used; ++n) {
    std::int64_t best = -1;
    for (std::int64_t e = 0; e < count; ++e) {
      if (std::find(choice, choice + n, static_cast<std::int32_t>(e)) != choice + n) continue;
      if (best < 0 || logits[e] > logits[best]) best = e;
    }
    choice[n] = static_cast<std::int32_t>(best);
  }
  double sum = 0;
  for (std::int64_t n = 0; n < used; ++n) sum += std::exp(static_cast<double>(logits[choice[n]]) - logits[choice[0]]);
  for (std::int64_t n = 0; n < used; ++n) weight[n] = static_cast<float>(std::exp(static_cast<double>(logits[choice[n]]) - logits[choice[0]]) / sum);
}

}  // namespace

void choose_experts(const ModelConfig& c, const Lane& lane, const ExpertWeights& w) {
  const ExpertShape& e = c.experts;
  lane.multiply({{w.router, lane.wide}}, lane.h, c.embedding);
  lane.each_token([&](std::int64_t t) {
    take_best(lane.wide + t * e.count, e.count, e.used, lane.choice + t * e.used, lane.choice_weight + t * e.used);
    std::copy_n(lane.h + t * c.embedding, c.embedding, lane.ffn_in + t * c.embedding);
  });
  if (e.shared_ffn == 0) return;
  const MlpWeights& shared = w.shared;
  lane.multiply({{shared.gate, lane.gate}, {shared.up, lane.up}}, lane.h, c.embedding);
  lane.each_token([&](std::int64_t t) { lane.ops.silu_mul(lane.gate + t * e.shared_ffn, lane.up + t * e.shared_ffn, e.shared_ffn); });
  lane.multiply({{shared.down, lane.h}}, lane.gate, e.shared_ffn);
  lane.each_token([&](std::int64_t t) {
    const float* in = lane.ffn_in + t * c.embedding;
    double logit = 0;
    for (std::int64_t i = 0; i < c.embedding; ++i) logit += static_cast<double>(in[i]) * w.shared_router[i];
    lane.ops.add_scaled(lane.x + t * c.embedding, lane.h + t * c.embedding, static_cast<float>(1.0 / (1.0 + std::exp(-logit))), c.embedding);
  });
}

void add_experts(const ModelConfig& c, const Lane& lane) {
  const std::int64_t used = c.experts.used;
  lane.each_token([&](std::int64_t t) {
    for (std::int64_t n = 0; n < used; ++n)
      lane.ops.add_scaled(lane.x + t * c.embedding, lane.expert_out + lane.rows[t * used + n] * c.embedding, lane.choice_weight[t * used + n],
                          c.embedding);
  });
}

LayerCode layer_code(const ModelConfig& config, Mixer mixer) {
  switch (config.architecture) {
    case Architecture::llama:
      return llama_layer();
    case Architecture::qwen2:
      return qwen2_layer();
    case Architecture::qwen3:
    case Architecture::qwen3moe:
      return qwen3_layer();
    case Architecture::qwen35:
    case Architecture::qwen35moe:
      break;
  }
  return mixer == Mixer::attention ? qwen35_attention_layer() : qwen35_delta_layer();
}

}  // namespace codicil::model
