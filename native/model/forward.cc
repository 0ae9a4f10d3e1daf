// Forward: how a batch goes through the layers. See forward.h.
//
// Two ways. By rows, for decode and short batches: every matrix is split over the pool by rows, so each weight byte is read once by one
// thread. By tiles, for prefill: each thread takes tiles of tokens through everything between two attentions without meeting the
// others, so a layer costs two barriers and activations never leave the second-level cache.

#include "native/model/forward.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace codicil::model {

namespace {

using kernels::Ops;

// Tokens of one tile: enough that unpacking a 4-bit weight is paid off by the products made with it, few enough that the MLP's
// activations (64 x 2 x 1536 f32 = 786 KB for the Reader) stay in a second-level cache of 1-2 MiB.
constexpr std::int64_t kTileTokens = 64;
// A batch goes by tiles when each thread gets at least this many tokens; below, threads share the weights instead.
constexpr std::int64_t kTileLeastTokens = 16;
// Queries of one sequence that one attention unit takes: keys of a page are read once for all of them.
constexpr std::int64_t kAttentionQueries = 64;

template <typename T>
T* take(std::byte*& cursor, std::int64_t count) {
  T* out = reinterpret_cast<T*>(cursor);
  cursor += (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
  return out;
}

struct TileSizes {
  std::int64_t h, kv, ffn;
};
TileSizes tile_sizes(const ModelConfig& c) { return {c.embedding, c.kv_heads * c.head_dim, c.ffn}; }

std::size_t tile_bytes(const ModelConfig& c, std::int64_t rows, std::size_t activation_bytes) {
  const TileSizes s = tile_sizes(c);
  const auto floats = static_cast<std::size_t>(rows * (s.h + 2 * s.kv + 2 * s.ffn));
  return floats * sizeof(float) + 3 * activation_bytes + 16 * 64;
}

std::int64_t widest_input(const ModelConfig& c) { return std::max({c.embedding, c.ffn, c.heads * c.head_dim}); }

}  // namespace

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
  std::array<Part, 3> parts{};
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

void store_keys_and_values(const ModelConfig& c, const Lane& lane) {
  const std::int64_t width = c.kv_heads * c.head_dim, head_stride = kv::kPageTokens * c.head_dim;
  lane.each_token([&](std::int64_t t) {
    for (std::int64_t head = 0; head < c.kv_heads; ++head) {
      lane.ops.to_f16(lane.k + t * width + head * c.head_dim, lane.k_rows[t] + head * head_stride, c.head_dim);
      lane.ops.to_f16(lane.v + t * width + head * c.head_dim, lane.v_rows[t] + head * head_stride, c.head_dim);
    }
  });
}

Forward::Forward(const ModelConfig& config, const ModelWeights& weights, const Ops& ops, ThreadPool& pool, std::int64_t max_tokens)
    : config_(config),
      weights_(weights),
      ops_(ops),
      pool_(pool),
      max_tokens_(max_tokens),
      code_(config.architecture == Architecture::qwen2 ? qwen2_layer() : llama_layer()) {}

Result<std::unique_ptr<Forward>> Forward::create(const ModelConfig& config, const ModelWeights& weights, const Ops& ops, ThreadPool& pool,
                                                 std::int64_t max_tokens) {
  std::unique_ptr<Forward> forward(new Forward(config, weights, ops, pool, max_tokens));
  if (Status status = forward->allocate(); !status.ok()) return status;
  return forward;
}

Status Forward::allocate() {
  const auto threads = static_cast<std::size_t>(pool_.threads());
  layer_bytes_ = page_shape(0).layer_bytes();
  // By rows at most this many tokens come together; LM head rows use the same slots.
  tile_rows_ = std::max({kTileTokens, kLogitRows, kTileLeastTokens * pool_.threads()});
  const auto measure = [&](const Matrix& m) {
    activation_bytes_ = std::max(activation_bytes_, m.ops->activation_bytes(m.weights.type, tile_rows_, m.weights.cols));
  };
  measure(weights_.output());
  for (const LayerWeights& layer : weights_.layers()) {
    for (const Matrix* m : {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down}) measure(*m);
  }
  activation_bytes_ = (activation_bytes_ + 63) / 64 * 64;

  const auto get = [](AlignedBuffer& target, std::size_t bytes) -> Status {
    Result<AlignedBuffer> buffer = AlignedBuffer::allocate(bytes);
    if (!buffer.ok()) return buffer.status();
    target = std::move(buffer).value();
    return {};
  };
  const auto rows = static_cast<std::size_t>(max_tokens_);
  const auto q_width = static_cast<std::size_t>(config_.heads * config_.head_dim);
  if (Status s = get(x_, rows * static_cast<std::size_t>(config_.embedding) * sizeof(float)); !s.ok()) return s;
  if (Status s = get(q_, rows * q_width * sizeof(float)); !s.ok()) return s;
  if (Status s = get(attended_, rows * q_width * sizeof(float)); !s.ok()) return s;
  tiles_.resize(threads);
  attention_scratch_.resize(threads);
  blocks_.resize(threads);
  // Units are a whole group of query heads or one head alone (plan_units); either may need more, as a table rounds its blocks to the group.
  const auto head_dim = static_cast<int>(config_.head_dim), group = static_cast<int>(config_.heads / config_.kv_heads);
  const std::size_t attention_bytes =
      std::max(ops_.attention_scratch_bytes(group, 1, head_dim, kv::kPageTokens), ops_.attention_scratch_bytes(1, 1, head_dim, kv::kPageTokens));
  for (std::size_t i = 0; i < threads; ++i) {
    if (Status s = get(tiles_[i], tile_bytes(config_, tile_rows_, activation_bytes_)); !s.ok()) return s;
    if (Status s = get(attention_scratch_[i], attention_bytes); !s.ok()) return s;
  }
  angles_.resize(rows);
  token_page_.resize(rows);
  token_slot_.resize(rows);
  k_rows_.resize(rows);
  v_rows_.resize(rows);
  return {};
}

std::uint64_t Forward::scratch_bytes() const {
  std::uint64_t bytes = x_.size() + q_.size() + attended_.size() + angle_table_.size() * sizeof(float);
  for (const AlignedBuffer& buffer : tiles_) bytes += buffer.size();
  for (const AlignedBuffer& buffer : attention_scratch_) bytes += buffer.size();
  return bytes;
}

std::uint64_t Forward::planned_scratch_bytes(const ModelConfig& c, int threads, std::int64_t max_tokens, std::int64_t context_tokens) {
  const std::int64_t rows = std::max({kTileTokens, kLogitRows, kTileLeastTokens * threads});
  // An activation takes at most its own f32 size and a scale and a sum per 32.
  const auto activation = static_cast<std::size_t>(rows * widest_input(c)) * 5;
  const auto shared = static_cast<std::uint64_t>(max_tokens * (c.embedding + 2 * c.heads * c.head_dim)) * sizeof(float);
  return shared + static_cast<std::uint64_t>(threads) * tile_bytes(c, rows, activation) +
         static_cast<std::uint64_t>(context_tokens * c.rope_dims) * sizeof(float) +
         static_cast<std::uint64_t>(kLogitRows * (c.vocab + c.embedding)) * sizeof(float);
}

kv::PageShape Forward::page_shape(std::uint64_t fingerprint) const {
  kv::PageShape shape;
  shape.layers = static_cast<int>(config_.layers);
  shape.kv_heads = static_cast<int>(config_.kv_heads);
  shape.head_dim = static_cast<int>(config_.head_dim);
  shape.model_fingerprint = fingerprint;
  return shape;
}

Lane Forward::lane(ThreadPool* pool, std::int64_t first, std::int64_t tokens, int thread) {
  assert(tokens <= tile_rows_);
  const TileSizes s = tile_sizes(config_);
  std::byte* cursor = tiles_[static_cast<std::size_t>(thread)].data();
  float* h = take<float>(cursor, tile_rows_ * s.h);
  float* k = take<float>(cursor, tile_rows_ * s.kv);
  float* v = take<float>(cursor, tile_rows_ * s.kv);
  float* gate = take<float>(cursor, tile_rows_ * s.ffn);
  float* up = take<float>(cursor, tile_rows_ * s.ffn);
  std::array<std::byte*, 3> activations{};
  for (std::byte*& slot : activations) slot = take<std::byte>(cursor, static_cast<std::int64_t>(activation_bytes_));
  const std::int64_t q_width = config_.heads * config_.head_dim;
  return {ops_,
          pool,
          first,
          tokens,
          x_.as<float>() + first * config_.embedding,
          h,
          q_.as<float>() + first * q_width,
          k,
          v,
          attended_.as<float>() + first * q_width,
          gate,
          up,
          activations,
          angles_.data() + first,
          k_rows_.data() + first,
          v_rows_.data() + first};
}

// --- one step ------------------------------------------------------------------------------------------------------------------

void Forward::run(const Batch& batch, float* hidden) {
  const auto tokens = static_cast<std::int64_t>(batch.tokens.size());
  assert(tokens > 0 && tokens <= max_tokens_);
  locate(batch);
  plan_units(batch);
  const std::int64_t least = kTileLeastTokens * pool_.threads();
  if (tokens < least) {
    layers_by_rows(batch);
  } else {
    // Equal tiles, and a number of them that the threads divide: the last one finishing alone would idle the others.
    const std::int64_t per_round = kTileTokens * pool_.threads();
    const std::int64_t rounds = (tokens + per_round - 1) / per_round;
    const std::int64_t tiles = rounds * pool_.threads();
    layers_by_tiles(batch, (tokens + tiles - 1) / tiles);
  }
  finish(batch, hidden);
}

void Forward::locate(const Batch& batch) {
  const std::int64_t half = config_.rope_dims / 2;
  std::int64_t positions = 0;
  for (const Run& run : batch.runs) positions = std::max(positions, run.first_position + run.count);
  auto known = static_cast<std::int64_t>(angle_table_.size()) / (half * 2);
  if (known < positions) {
    const std::int64_t wanted = std::max<std::int64_t>(positions, std::max<std::int64_t>(known * 2, 512));
    angle_table_.resize(static_cast<std::size_t>(wanted * half * 2));
    for (; known < wanted; ++known) {
      float* row = angle_table_.data() + known * half * 2;
      for (std::int64_t i = 0; i < half; ++i) {
        // theta_i = position * base^(-2i / n) (RoFormer, section 3.2.2), in f64: at position 100,000 an f32 angle is off by 0.004.
        double frequency = std::pow(config_.rope_base, -2.0 * static_cast<double>(i) / config_.rope_dims) * config_.rope_scale;
        if (weights_.rope_factors() != nullptr) frequency /= static_cast<double>(weights_.rope_factors()[i]);
        row[2 * i] = static_cast<float>(std::cos(static_cast<double>(known) * frequency));
        row[2 * i + 1] = static_cast<float>(std::sin(static_cast<double>(known) * frequency));
      }
    }
  }
  for (const Run& run : batch.runs) {
    for (std::int64_t i = 0; i < run.count; ++i) {
      const std::int64_t position = run.first_position + i;
      const auto t = static_cast<std::size_t>(run.first_token + i);
      angles_[t] = angle_table_.data() + position * half * 2;
      token_page_[t] = run.pages[static_cast<std::size_t>(position / kv::kPageTokens)];
      token_slot_[t] = static_cast<std::int32_t>(position % kv::kPageTokens);
    }
  }
}

void Forward::point_rows(std::int64_t layer, std::int64_t begin, std::int64_t end) {
  for (std::int64_t t = begin; t < end; ++t) {
    auto* k = reinterpret_cast<std::uint16_t*>(token_page_[static_cast<std::size_t>(t)] + static_cast<std::size_t>(layer) * layer_bytes_) +
              token_slot_[static_cast<std::size_t>(t)] * config_.head_dim;
    k_rows_[static_cast<std::size_t>(t)] = k;
    v_rows_[static_cast<std::size_t>(t)] = k + config_.kv_heads * kv::kPageTokens * config_.head_dim;
  }
}

void Forward::layers_by_rows(const Batch& batch) {
  const auto tokens = static_cast<std::int64_t>(batch.tokens.size());
  const Lane all = lane(&pool_, 0, tokens, 0);
  all.each_token([&](std::int64_t t) { weights_.embed(ops_, batch.tokens[static_cast<std::size_t>(t)], all.x + t * config_.embedding); });
  for (std::int64_t layer = 0; layer < config_.layers; ++layer) {
    const LayerWeights& w = weights_.layers()[static_cast<std::size_t>(layer)];
    point_rows(layer, 0, tokens);
    code_.before_attention(config_, w, all);
    attend(batch, layer);
    code_.after_attention(config_, w, all);
  }
}

void Forward::layers_by_tiles(const Batch& batch, std::int64_t tile) {
  const auto tokens = static_cast<std::int64_t>(batch.tokens.size());
  const std::span<const LayerWeights> layers = weights_.layers();
  // Between attention of layer i - 1 and attention of layer i a token meets no other token.
  for (std::int64_t layer = 0; layer <= config_.layers; ++layer) {
    pool_.parallel_for_stealing(0, tokens, tile, [&](std::int64_t begin, std::int64_t end, int thread) {
      const Lane part = lane(nullptr, begin, end - begin, thread);
      if (layer == 0) {
        part.each_token(
            [&](std::int64_t t) { weights_.embed(ops_, batch.tokens[static_cast<std::size_t>(begin + t)], part.x + t * config_.embedding); });
      } else {
        code_.after_attention(config_, layers[static_cast<std::size_t>(layer - 1)], part);
      }
      if (layer == config_.layers) return;
      point_rows(layer, begin, end);
      code_.before_attention(config_, layers[static_cast<std::size_t>(layer)], part);
    });
    if (layer < config_.layers) attend(batch, layer);
  }
}

void Forward::finish(const Batch& batch, float* hidden) {
  const auto wanted = static_cast<std::int64_t>(batch.wanted.size());
  for (std::int64_t i = 0; i < wanted; ++i) {
    ops_.rms_norm(x_.as<float>() + batch.wanted[static_cast<std::size_t>(i)] * config_.embedding, weights_.output_norm(), config_.rms_eps,
                  hidden + i * config_.embedding, config_.embedding);
  }
}

void Forward::logits(const float* hidden, std::int64_t rows, float* out) {
  assert(rows <= kLogitRows);
  const Lane all = lane(&pool_, 0, rows, 0);
  all.multiply({{weights_.output(), out}}, hidden, config_.embedding);
}

// --- attention -----------------------------------------------------------------------------------------------------------------

void Forward::plan_units(const Batch& batch) {
  units_.clear();
  const auto group = static_cast<std::int32_t>(config_.heads / config_.kv_heads);
  std::int64_t work = 0;
  for (const Run& run : batch.runs) work += (run.count + kAttentionQueries - 1) / kAttentionQueries * config_.kv_heads;
  // Few units and several threads (one session decoding): query heads that share a kv head are divided, else a thread would idle.
  const bool divide = work < 4 * pool_.threads() && pool_.threads() > 1;
  for (std::size_t r = 0; r < batch.runs.size(); ++r) {
    const Run& run = batch.runs[r];
    for (std::int64_t first = 0; first < run.count; first += kAttentionQueries) {
      const std::int64_t count = std::min(kAttentionQueries, run.count - first);
      for (std::int32_t head = 0; head < config_.kv_heads; ++head) {
        const std::int32_t step = divide ? 1 : group;
        for (std::int32_t q = 0; q < group; q += step)
          units_.push_back({static_cast<std::int32_t>(r), head, head * group + q, head * group + q + step, first, count});
      }
    }
  }
}

void Forward::attend(const Batch& batch, std::int64_t layer) {
  const auto one = [&](std::int64_t begin, std::int64_t end, int thread) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Unit& u = units_[static_cast<std::size_t>(i)];
      attend_unit(batch.runs[static_cast<std::size_t>(u.run)], layer, u.first, u.count, u.kv_head, u.head_begin, u.head_end, thread);
    }
  };
  const auto units = static_cast<std::int64_t>(units_.size());
  pool_.parallel_for_stealing(0, units, 1, one);
}

void Forward::attend_unit(const Run& run, std::int64_t layer, std::int64_t first, std::int64_t count, int kv_head, int head_begin, int head_end,
                          int thread) {
  const std::int64_t position = run.first_position + first;
  const std::int64_t pages = (position + count + kv::kPageTokens - 1) / kv::kPageTokens;
  const std::int64_t head_stride = kv::kPageTokens * config_.head_dim, q_width = config_.heads * config_.head_dim;
  std::vector<kernels::KvBlock>& blocks = blocks_[static_cast<std::size_t>(thread)];
  if (blocks.size() < static_cast<std::size_t>(pages)) blocks.resize(static_cast<std::size_t>(pages) * 2);
  for (std::int64_t p = 0; p < pages; ++p) {
    const auto* k = reinterpret_cast<const std::uint16_t*>(run.pages[static_cast<std::size_t>(p)] + static_cast<std::size_t>(layer) * layer_bytes_) +
                    kv_head * head_stride;
    blocks[static_cast<std::size_t>(p)] = {k, k + config_.kv_heads * head_stride};
  }
  // One kv head and the query heads that read it, as a model of its own.
  kernels::AttentionArgs args;
  args.q = q_.as<float>() + (run.first_token + first) * q_width + head_begin * config_.head_dim;
  args.q_stride = q_width;
  args.out = attended_.as<float>() + (run.first_token + first) * q_width + head_begin * config_.head_dim;
  args.out_stride = q_width;
  args.blocks = blocks.data();
  args.page_tokens = kv::kPageTokens;
  args.queries = count;
  args.first_position = position;
  args.heads = head_end - head_begin;
  args.kv_heads = 1;
  args.head_dim = static_cast<int>(config_.head_dim);
  args.scale = 1.0f / std::sqrt(static_cast<float>(config_.head_dim));
  args.scratch = attention_scratch_[static_cast<std::size_t>(thread)].data();
  ops_.attention(args, 0, 1);
}

}  // namespace codicil::model
