// Forward: how a batch goes through the layers. See forward.h.
//
// Two ways. By rows, for decode and short batches: every matrix is split over the pool by rows, so each weight byte is read once by one
// thread. By tiles, for prefill: each thread takes tiles of tokens through everything between two mixers without meeting the
// others, so a layer costs two barriers and activations never leave the second-level cache.

#include "native/model/forward.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace codicil::model {

namespace {

using kernels::Ops;

// Tokens of one tile: enough that unpacking a 4-bit weight is paid off by the products made with it, few enough that the MLP's
// activations (64 x 2 x 1536 f32 = 786 KB for the Reader) stay in a second-level cache of 1-2 MiB.
constexpr std::int64_t kTileTokens = 64;
// A batch goes by tiles when each thread gets at least this many tokens; below, threads share the weights instead.
constexpr std::int64_t kTileLeastTokens = 16;

template <typename T>
T* take(std::byte*& cursor, std::int64_t count) {
  T* out = reinterpret_cast<T*>(cursor);
  cursor += (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
  return out;
}

// Widths of one token's rows, in f32.
struct Widths {
  std::int64_t mixer_in, mixer_out;  // kept over the batch, the wider of the model's mixers
  std::int64_t kv, inner, wide;      // of a tile
};

std::int64_t mixer_in(const ModelConfig& c, Mixer mixer) { return mixer == Mixer::attention ? c.heads * c.head_dim : c.delta.conv_channels(); }
std::int64_t mixer_out(const ModelConfig& c, Mixer mixer) { return mixer == Mixer::attention ? c.heads * c.head_dim : c.delta.value_width(); }

Widths widths(const ModelConfig& c) {
  const bool hybrid = c.is_recurrent();
  Widths w{};
  w.mixer_in = std::max(mixer_in(c, Mixer::attention), hybrid ? mixer_in(c, Mixer::delta) : 0);
  w.mixer_out = std::max(mixer_out(c, Mixer::attention), hybrid ? mixer_out(c, Mixer::delta) : 0);
  w.kv = c.kv_heads * c.head_dim;
  w.inner = std::max({c.ffn, c.experts.ffn, c.experts.shared_ffn});
  w.wide = std::max({c.gated_attention ? 2 * c.heads * c.head_dim : 0, 2 * c.delta.value_heads, c.experts.count});
  return w;
}

std::size_t tile_bytes(const ModelConfig& c, std::int64_t rows, std::size_t activation_bytes) {
  const Widths w = widths(c);
  return static_cast<std::size_t>(rows * (c.embedding + 2 * w.kv + 2 * w.inner + w.wide)) * sizeof(float) + 3 * activation_bytes + 16 * 64;
}

// f32 values per token that live as long as the batch.
std::int64_t batch_floats(const ModelConfig& c) {
  const Widths w = widths(c);
  const bool gated = c.is_recurrent();
  std::int64_t floats = c.embedding + w.mixer_in + w.mixer_out + (gated ? mixer_out(c, Mixer::attention) + mixer_out(c, Mixer::delta) : 0);
  if (c.is_recurrent()) floats += c.delta.conv_channels() + 2 * c.delta.value_heads;
  floats += c.mtp_layers * 2 * c.embedding;
  if (c.experts.count > 0) floats += c.embedding + c.experts.used * (c.embedding + 1);
  return floats;
}

std::int64_t tile_rows(int threads) { return std::max({kTileTokens, Forward::kLogitRows, kTileLeastTokens * threads}); }

Status stopped() {
  return Status(Code::cancelled, "expected to compute a whole step, found that the engine is being closed: ask again once it is open");
}

}  // namespace

Forward::Forward(const ModelConfig& config, const ModelWeights& weights, const Ops& ops, ThreadPool& pool, std::int64_t max_tokens, kv::Format format)
    : config_(config),
      weights_(weights),
      ops_(ops),
      pool_(pool),
      max_tokens_(max_tokens),
      codes_{layer_code(config, Mixer::attention), layer_code(config, Mixer::delta)},
      kv_(kv_layout(page_shape(config, 0, format))) {
  std::array<std::int64_t, 2> seen{};
  for (const Mixer mixer : config.mixers) place_.push_back(seen[static_cast<std::size_t>(mixer)]++);
}

Result<std::unique_ptr<Forward>> Forward::create(const ModelConfig& config, const ModelWeights& weights, const Ops& ops, ThreadPool& pool,
                                                 std::int64_t max_tokens, kv::Format format) {
  std::unique_ptr<Forward> forward(new Forward(config, weights, ops, pool, max_tokens, format));
  if (Status status = forward->allocate(); !status.ok()) return status;
  return forward;
}

// One slot must hold the activations of any product: measured on every matrix, because layers may mix types.
void Forward::measure_activations() {
  const auto measure = [&](const Matrix& m) {
    if (m.ops != nullptr) activation_bytes_ = std::max(activation_bytes_, m.ops->activation_bytes(m.weights.type, tile_rows_, m.weights.cols));
  };
  const auto measure_mlp = [&](const MlpWeights& w) {
    for (const Matrix* m : {&w.gate, &w.up, &w.down}) measure(*m);
  };
  measure(weights_.output());
  for (const LayerWeights& layer : weights_.layers()) {
    const AttentionWeights& a = layer.attention;
    const DeltaWeights& d = layer.delta;
    for (const Matrix* m : {&a.q, &a.k, &a.v, &a.o, &d.qkv, &d.z, &d.beta, &d.alpha, &d.out, &layer.moe.router, &layer.head.join}) measure(*m);
    measure_mlp(layer.mlp);
    measure_mlp(layer.moe.shared);
    if (!layer.moe.experts.empty()) measure_mlp(layer.moe.experts.front());  // all of one tensor
  }
  activation_bytes_ = (activation_bytes_ + 63) / 64 * 64;
}

Status Forward::allocate() {
  const auto threads = static_cast<std::size_t>(pool_.threads());
  // By rows at most this many tokens come together; LM head rows use the same slots.
  tile_rows_ = tile_rows(pool_.threads());
  measure_activations();

  Status status;
  const auto get = [&](AlignedBuffer& target, std::size_t bytes) {
    if (!status.ok() || bytes == 0) return;
    Result<AlignedBuffer> buffer = AlignedBuffer::allocate(bytes);
    if (!buffer.ok()) {
      status = buffer.status();
      return;
    }
    target = std::move(buffer).value();
  };
  const auto rows = [&](std::int64_t floats) { return static_cast<std::size_t>(max_tokens_ * floats) * sizeof(float); };
  const Widths w = widths(config_);
  const ExpertShape& e = config_.experts;
  get(x_, rows(config_.embedding));
  get(q_, rows(w.mixer_in));
  get(mixed_, rows(w.mixer_out));
  if (config_.is_recurrent()) {
    for (const Mixer mixer : {Mixer::attention, Mixer::delta}) get(gate_[static_cast<std::size_t>(mixer)], rows(mixer_out(config_, mixer)));
    get(conv_, rows(config_.delta.conv_channels()));
    get(gates_, rows(2 * config_.delta.value_heads));
    const auto head_dim = static_cast<std::size_t>(config_.delta.head_dim);
    query_length_.assign(head_dim, static_cast<float>(1.0 / static_cast<double>(head_dim)));
    key_length_.assign(head_dim, static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_dim))));
  }
  if (config_.mtp_layers > 0) {
    get(joined_, rows(2 * config_.embedding));
    get(guess_hidden_, static_cast<std::size_t>(config_.embedding) * sizeof(float));
  }
  if (e.count > 0) {
    get(ffn_in_, rows(config_.embedding));
    get(expert_out_, rows(e.used * config_.embedding));
    get(choice_weight_, rows(e.used));
    for (std::vector<std::int32_t>* list : {&choice_, &rows_, &sorted_}) list->resize(static_cast<std::size_t>(max_tokens_ * e.used));
    expert_begin_.resize(static_cast<std::size_t>(e.count + 1));
  }
  tiles_.resize(threads);
  attention_scratch_.resize(threads);
  draft_scratch_.resize(threads);
  blocks_.resize(threads);
  const auto head_dim = static_cast<int>(config_.head_dim), group = static_cast<int>(config_.heads / config_.kv_heads);
  const std::size_t attention_bytes = ops_.attention_scratch_bytes(group, 1, head_dim, kv::kPageTokens);
  for (std::size_t i = 0; i < threads; ++i) {
    get(tiles_[i], tile_bytes(config_, tile_rows_, activation_bytes_));
    get(attention_scratch_[i], attention_bytes);
    if (config_.is_recurrent())
      get(draft_scratch_[i], static_cast<std::size_t>(config_.delta.head_dim * (config_.delta.head_dim + 1)) * sizeof(float));
  }
  get(carry_, static_cast<std::size_t>(max_tokens_ * config_.heads) * kernels::attention_carry_bytes(head_dim));
  const auto tokens = static_cast<std::size_t>(max_tokens_);
  angles_.resize(tokens);
  angle_rows_.resize(tokens * static_cast<std::size_t>(config_.rope_dims));
  for (std::size_t t = 0; t < tokens; ++t) angles_[t] = angle_rows_.data() + t * static_cast<std::size_t>(config_.rope_dims);
  for (std::int64_t i = 0; i < config_.rope_dims / 2; ++i) {
    // theta_i = position * base^(-2i / n) (RoFormer, section 3.2.2), in f64: at position 100,000 an f32 angle is off by 0.004.
    double frequency = std::pow(config_.rope_base, -2.0 * static_cast<double>(i) / config_.rope_dims) * config_.rope_scale;
    if (weights_.rope_factors() != nullptr) frequency /= static_cast<double>(weights_.rope_factors()[i]);
    frequencies_.push_back(frequency);
  }
  token_page_.resize(tokens);
  token_slot_.resize(tokens);
  token_page_index_.resize(tokens);
  key_means_.resize(config_.mixers.size());
  k_groups_.resize(tokens);
  v_rows_.resize(tokens);
  mean_rows_.resize(tokens);
  return status;
}

std::uint64_t Forward::scratch_bytes() const {
  std::uint64_t bytes = page_states_.size() + angle_rows_.size() * sizeof(float);
  for (const AlignedBuffer* buffer : {&x_, &q_, &gate_[0], &gate_[1], &mixed_, &conv_, &gates_, &joined_, &ffn_in_, &expert_out_, &choice_weight_})
    bytes += buffer->size();
  for (const AlignedBuffer& buffer : tiles_) bytes += buffer.size();
  for (const AlignedBuffer& buffer : attention_scratch_) bytes += buffer.size();
  for (const AlignedBuffer& buffer : draft_scratch_) bytes += buffer.size();
  return bytes;
}

std::uint64_t Forward::planned_scratch_bytes(const ModelConfig& c, int threads, std::int64_t max_tokens,
                                             const std::function<std::size_t(std::int64_t)>& activation_bytes) {
  const std::int64_t rows = tile_rows(threads);
  const std::size_t activation = (activation_bytes(rows) + 63) / 64 * 64;
  return static_cast<std::uint64_t>(max_tokens * batch_floats(c)) * sizeof(float) +
         static_cast<std::uint64_t>(threads) * tile_bytes(c, rows, activation) +
         static_cast<std::uint64_t>(max_tokens * c.rope_dims) * sizeof(float) +
         static_cast<std::uint64_t>(kLogitRows * (c.vocab + c.embedding)) * sizeof(float);
}

kv::PageShape Forward::page_shape(const ModelConfig& config, std::uint64_t fingerprint, kv::Format format) {
  kv::PageShape shape;
  shape.layers = static_cast<int>(config.attention_layers());
  shape.kv_heads = static_cast<int>(config.kv_heads);
  shape.head_dim = static_cast<int>(config.head_dim);
  shape.format = format;
  // An odd number with its bits spread (2^64 over the golden ratio), so that f16 keeps the model's own fingerprint.
  shape.model_fingerprint = fingerprint + static_cast<std::uint64_t>(format) * 0x9e3779b97f4a7c15u;
  // The same of the square root of 2: pages with the keys of a head have a layer more than those without.
  shape.model_fingerprint += static_cast<std::uint64_t>(config.mtp_layers) * 0x6a09e667f3bcc909u;
  // And of 3: quantized keys lie without the mean of their bias (extend_key_means), which those of earlier versions had.
  if (config.architecture == Architecture::qwen2 && format != kv::Format::f16) shape.model_fingerprint += 0xbb67ae8584caa73bu;
  return shape;
}

Lane Forward::lane(ThreadPool* pool, std::int64_t first, std::int64_t tokens, int thread, Mixer mixer) {
  assert(tokens <= tile_rows_);
  const Widths w = widths(config_);
  const std::int64_t used = config_.experts.used, out = mixer_out(config_, mixer);
  std::byte* cursor = tiles_[static_cast<std::size_t>(thread)].data();
  float* h = take<float>(cursor, tile_rows_ * config_.embedding);
  float* k = take<float>(cursor, tile_rows_ * w.kv);
  float* v = take<float>(cursor, tile_rows_ * w.kv);
  float* gate = take<float>(cursor, tile_rows_ * w.inner);
  float* up = take<float>(cursor, tile_rows_ * w.inner);
  float* wide = take<float>(cursor, tile_rows_ * w.wide);
  std::array<std::byte*, 3> activations{};
  for (std::byte*& slot : activations) slot = take<std::byte>(cursor, static_cast<std::int64_t>(activation_bytes_));
  return {.ops = ops_,
          .pool = pool,
          .first = first,
          .tokens = tokens,
          .x = x_.as<float>() + first * config_.embedding,
          .q = q_.as<float>() + first * mixer_in(config_, mixer),
          .mixer_gate = gate_[static_cast<std::size_t>(mixer)].as<float>() + first * out,
          .mixed = mixed_.as<float>() + first * out,
          .gates = gates_.as<float>() + first * 2 * config_.delta.value_heads,
          .ffn_in = ffn_in_.as<float>() + first * config_.embedding,
          .choice = choice_.data() + first * used,
          .choice_weight = choice_weight_.as<float>() + first * used,
          .expert_out = expert_out_.as<float>(),
          .rows = rows_.data() + first * used,
          .h = h,
          .k = k,
          .v = v,
          .gate = gate,
          .up = up,
          .wide = wide,
          .activations = activations,
          .angles = angles_.data() + first,
          .kv = kv_,
          .slots = token_slot_.data() + first,
          .k_groups = k_groups_.data() + first,
          .key_means = mean_rows_.data() + first,
          .v_rows = v_rows_.data() + first};
}

// --- one step ------------------------------------------------------------------------------------------------------------------

std::int64_t Forward::least_tile_tokens() const { return kTileLeastTokens * pool_.threads(); }

Status Forward::run(const Batch& batch, float* hidden, const std::function<void()>& between_layers) {
  const auto tokens = static_cast<std::int64_t>(batch.tokens.size());
  assert(tokens > 0 && tokens <= max_tokens_);
  stop_ = batch.stop;
  locate(batch);
  plan_units(batch);
  Status status;
  if (tokens < least_tile_tokens()) {
    status = layers_by_rows(batch, between_layers);
  } else {
    // Equal tiles, and a number of them that the threads divide: the last one finishing alone would idle the others.
    const std::int64_t per_round = kTileTokens * pool_.threads();
    const std::int64_t rounds = (tokens + per_round - 1) / per_round;
    const std::int64_t tiles = rounds * pool_.threads();
    status = layers_by_tiles(batch, (tokens + tiles - 1) / tiles, between_layers);
  }
  if (!status.ok()) return status;
  if (is_stopped()) return stopped();
  finish(batch, hidden);
  if (config_.mtp_layers > 0) read_head(batch);
  return {};
}

// Angles of one token. Of the batch only, and not a table of all positions: at 245,760 that is 63 MB, and a second of sines before a stored
// document can be asked.
void Forward::turn(std::int64_t token, std::int64_t position) {
  const auto half = static_cast<std::int64_t>(frequencies_.size());
  float* row = angle_rows_.data() + token * half * 2;
  for (std::int64_t i = 0; i < half; ++i) {
    const double angle = static_cast<double>(position) * frequencies_[static_cast<std::size_t>(i)];
    row[2 * i] = static_cast<float>(std::cos(angle));
    row[2 * i + 1] = static_cast<float>(std::sin(angle));
  }
}

void Forward::locate(const Batch& batch) {
  for (const Run& run : batch.runs) {
    for (std::int64_t i = 0; i < run.count; ++i) {
      const std::int64_t position = run.first_position + i;
      const auto t = static_cast<std::size_t>(run.first_token + i);
      turn(run.first_token + i, position);
      token_page_[t] = run.pages[static_cast<std::size_t>(position / kv::kPageTokens)];
      token_slot_[t] = static_cast<std::int32_t>(position % kv::kPageTokens);
      token_page_index_[t] = position / kv::kPageTokens;
    }
  }
}

void Forward::point_rows(std::int64_t layer, std::int64_t begin, std::int64_t end) {
  if (mixer(layer) != Mixer::attention) return;
  const std::int64_t place = place_[static_cast<std::size_t>(layer)] * kv_.layer_bytes, width = config_.kv_heads * config_.head_dim;
  const std::vector<float>& means = key_means_[static_cast<std::size_t>(layer)];
  for (std::int64_t t = begin; t < end; ++t) {
    std::byte* k = token_page_[static_cast<std::size_t>(t)] + place;
    const std::int64_t slot = token_slot_[static_cast<std::size_t>(t)];
    k_groups_[static_cast<std::size_t>(t)] = k + slot / kernels::kKvGroup * kernels::kKvGroup * (kv_.k_head_bytes / kv::kPageTokens);
    mean_rows_[static_cast<std::size_t>(t)] = means.empty() ? nullptr : means.data() + token_page_index_[static_cast<std::size_t>(t)] * width;
    v_rows_[static_cast<std::size_t>(t)] = k + kv_.v_bytes + slot * (kv_.v_head_bytes / kv::kPageTokens);
  }
}

void Forward::mix(const Batch& batch, std::int64_t layer) {
  if (mixer(layer) == Mixer::attention)
    attend(batch, layer);
  else
    recur(batch, layer);
}

Status Forward::layers_by_rows(const Batch& batch, const std::function<void()>& between_layers) {
  const auto tokens = static_cast<std::int64_t>(batch.tokens.size());
  const bool experts = config_.experts.count > 0;
  for (std::int64_t layer = 0; layer < config_.layers; ++layer) {
    if (is_stopped()) return stopped();
    if (Status status = weights_.hold(layer); !status.ok()) return status;
    extend_key_means(batch, layer);
    const Lane all = lane(&pool_, 0, tokens, 0, mixer(layer));
    if (layer == 0)
      all.each_token([&](std::int64_t t) { weights_.embed(ops_, batch.tokens[static_cast<std::size_t>(t)], all.x + t * config_.embedding); });
    point_rows(layer, 0, tokens);
    code(layer).before_mixer(config_, weights(layer), all);
    mix(batch, layer);
    code(layer).after_mixer(config_, weights(layer), all);
    if (between_layers) between_layers();
    if (!experts) continue;
    if (Status status = run_experts(tokens, layer); !status.ok()) return status;
    add_experts(config_, all);
  }
  return {};
}

Status Forward::layers_by_tiles(const Batch& batch, std::int64_t tile, const std::function<void()>& between_layers) {
  const auto tokens = static_cast<std::int64_t>(batch.tokens.size());
  const bool experts = config_.experts.count > 0;
  // Between the mixer of one layer and that of the next a token meets no other token, unless experts stand between them.
  for (std::int64_t layer = 0; layer <= config_.layers; ++layer) {
    if (is_stopped()) return stopped();
    if (layer < config_.layers) {
      if (Status status = weights_.hold(layer); !status.ok()) return status;
      extend_key_means(batch, layer);
    }
    pool_.parallel_for_stealing(0, tokens, tile, [&](std::int64_t begin, std::int64_t end, int thread) {
      if (is_stopped()) return;
      const auto part = [&](std::int64_t of) { return lane(nullptr, begin, end - begin, thread, mixer(of)); };
      if (layer == 0) {
        const Lane first = part(0);
        first.each_token(
            [&](std::int64_t t) { weights_.embed(ops_, batch.tokens[static_cast<std::size_t>(begin + t)], first.x + t * config_.embedding); });
      } else if (experts) {
        add_experts(config_, part(layer - 1));
      } else {
        code(layer - 1).after_mixer(config_, weights(layer - 1), part(layer - 1));
      }
      if (layer == config_.layers) return;
      point_rows(layer, begin, end);
      code(layer).before_mixer(config_, weights(layer), part(layer));
    });
    if (layer == config_.layers) break;
    mix(batch, layer);
    if (between_layers) between_layers();
    if (!experts) continue;
    pool_.parallel_for_stealing(0, tokens, tile, [&](std::int64_t begin, std::int64_t end, int thread) {
      if (!is_stopped()) code(layer).after_mixer(config_, weights(layer), lane(nullptr, begin, end - begin, thread, mixer(layer)));
    });
    if (Status status = run_experts(tokens, layer); !status.ok()) return status;
  }
  return {};
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
  lane(&pool_, 0, rows, 0, Mixer::attention).multiply({{weights_.output(), out}}, hidden, config_.embedding);
}

}  // namespace codicil::model
