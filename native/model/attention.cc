// Attention over pages: which thread takes which queries, heads and pages, and where their keys lie.
//
// Leaves the arithmetic to the op table. Rules: a unit is one kv head with all query heads that read it, so keys of a page are read once for all of
// them. Where that makes too few units for the threads (sessions decoding at depth) a sequence is cut into parts of some pages each; whoever
// finishes a head's last part joins them, in the order of the pages. Keys that come from SSD come in spans, and a unit goes on in the next span with
// the softmax that it left in the carry. All three ways give the same bits.

#include <algorithm>
#include <cmath>

#include "native/kv/layer_stream.h"
#include "native/model/forward.h"

namespace codicil::model {

namespace {

// Queries of one sequence that one attention unit takes: keys of a page are read once for all of them.
constexpr std::int64_t kAttentionQueries = 64;
// With many threads and few kv heads fewer, so that each thread finds two: widening a page for 8 queries of 3 heads is some 10 % of their work.
constexpr std::int64_t kLeastAttentionQueries = 8;
// Units that a thread should find: with fewer the last to finish keeps the others waiting.
constexpr std::int64_t kUnitsPerThread = 8;
// More queries than a step of drafts has are a prefill, whose states of every page would be larger than its keys.
constexpr std::int64_t kMostCutQueries = 16;

}  // namespace

// Where keys have a bias b, a token at position p has R(p) b in its key whatever it is: in Qwen2 ten times as large as all else, nearly all of it in
// the pairs that turn slowest, and it would set the step of the codes. So a quantized page keeps its keys without the mean of R(p) b over its
// positions, which is known from the page's place alone; to a row of queries it is one number that moves all scores of the page.
void Forward::extend_key_means(const Batch& batch, std::int64_t layer) {
  if (kv_.k_type == kernels::KvType::f16 || mixer(layer) != Mixer::attention) return;
  const float* bias = weights(layer).attention.k_bias;
  if (bias == nullptr) return;
  std::int64_t pages = 0;
  for (const Run& run : batch.runs) pages = std::max(pages, kv::pages_of(run.first_position + run.count));
  const std::int64_t width = config_.kv_heads * config_.head_dim;
  std::vector<float>& means = key_means_[static_cast<std::size_t>(layer)];  // [pages][kv_heads * head_dim]
  if (static_cast<std::int64_t>(means.size()) >= pages * width) return;
  std::vector<float> turns(frequencies_.size() * 2);
  for (std::int64_t page = static_cast<std::int64_t>(means.size()) / width; page < pages; ++page) {
    for (std::size_t i = 0; i < frequencies_.size(); ++i) {
      // The mean of e^(i p f) over n positions is that of the middle times sin(n f / 2) / (n sin(f / 2)).
      const double f = frequencies_[i], n = kv::kPageTokens, half = std::sin(f / 2), middle = (static_cast<double>(page) * n + (n - 1) / 2) * f;
      const double length = std::fabs(half) < 1e-12 ? 1 : std::sin(n * f / 2) / (n * half);
      turns[2 * i] = static_cast<float>(length * std::cos(middle));
      turns[2 * i + 1] = static_cast<float>(length * std::sin(middle));
    }
    means.insert(means.end(), bias, bias + width);
    float* mean = means.data() + page * width;
    ops_.rope(config_.rope_kind, mean, static_cast<int>(config_.kv_heads), static_cast<int>(config_.head_dim), static_cast<int>(config_.rope_dims),
              turns.data());
    if (kv_.rotated) ops_.hadamard(mean, width);
  }
}

void Forward::plan_units(const Batch& batch) {
  units_.clear();
  run_units_.assign(1, 0);
  cuts_.clear();
  const std::int64_t threads = pool_.threads(), wanted = kUnitsPerThread * threads;
  const auto units_of = [&](std::int64_t queries) {
    std::int64_t units = 0;
    for (const Run& run : batch.runs) units += (run.count + queries - 1) / queries * config_.kv_heads;
    return units;
  };
  std::int64_t queries = kAttentionQueries, all_pages = 0;
  while (threads > 1 && queries > kLeastAttentionQueries && units_of(queries) < 2 * threads) queries /= 2;
  for (const Run& run : batch.runs) all_pages += kv::pages_of(run.first_position + run.count) * config_.kv_heads;
  const bool cut = threads > 1 && units_of(queries) < wanted && batch.stream == nullptr;
  const std::int64_t part = std::max<std::int64_t>(1, all_pages / wanted);
  std::int64_t states = 0;
  for (std::size_t r = 0; r < batch.runs.size(); ++r) {
    const Run& run = batch.runs[r];
    const std::int64_t pages = kv::pages_of(run.first_position + run.count);
    for (std::int32_t head = 0; head < config_.kv_heads; ++head) {
      if (!cut || run.count > kMostCutQueries || pages <= part) {
        for (std::int64_t first = 0; first < run.count; first += queries)
          units_.push_back({static_cast<std::int32_t>(r), head, first, std::min(queries, run.count - first), 0, pages, -1});
        continue;
      }
      const std::int64_t parts = (pages + part - 1) / part;
      for (std::int64_t page = 0; page < pages; page += part)
        units_.push_back(
            {static_cast<std::int32_t>(r), head, 0, run.count, page, std::min(pages, page + part), static_cast<std::int32_t>(cuts_.size())});
      cuts_.push_back({states, parts});
      states += pages * run.count * state_bytes();
    }
    run_units_.push_back(units_.size());
  }
  // Longest first: what is dealt out last should be short. Spans from SSD find a run's units by their place.
  if (batch.stream == nullptr) std::stable_sort(units_.begin(), units_.end(), [](const Unit& a, const Unit& b) { return a.work() > b.work(); });
  if (page_states_.size() < static_cast<std::size_t>(states)) page_states_.resize(static_cast<std::size_t>(states) * 2);
  if (parts_left_size_ < cuts_.size()) {
    parts_left_size_ = cuts_.size() * 2;
    parts_left_ = std::make_unique<std::atomic<std::int64_t>[]>(parts_left_size_);
  }
}

std::int64_t Forward::state_bytes() const {
  return config_.heads / config_.kv_heads * static_cast<std::int64_t>(kernels::attention_carry_bytes(static_cast<int>(config_.head_dim)));
}

void Forward::attend(const Batch& batch, std::int64_t layer) {
  if (batch.stream != nullptr) return attend_streamed(batch, layer);
  for (std::size_t i = 0; i < cuts_.size(); ++i) parts_left_[i].store(cuts_[i].parts, std::memory_order_relaxed);
  pool_.parallel_for_stealing(0, static_cast<std::int64_t>(units_.size()), 1, [&](std::int64_t begin, std::int64_t end, int thread) {
    for (std::int64_t i = begin; i < end && !is_stopped(); ++i) {
      const Unit& unit = units_[static_cast<std::size_t>(i)];
      attend_unit(batch.runs[static_cast<std::size_t>(unit.run)], layer, unit, {unit.page_begin, unit.page_end, nullptr}, thread);
    }
  });
}

void Forward::attend_streamed(const Batch& batch, std::int64_t layer) {
  kv::LayerStream& stream = *batch.stream;
  for (std::int64_t span = 0; span < stream.spans() && !is_stopped(); ++span) {
    span_units_.clear();
    for (const kv::LayerStream::Part& part : stream.parts(span)) {
      const std::int64_t run_position = batch.runs[static_cast<std::size_t>(part.run)].first_position;
      for (std::size_t i = run_units_[static_cast<std::size_t>(part.run)]; i < run_units_[static_cast<std::size_t>(part.run) + 1]; ++i) {
        // Queries whose last key came in an earlier span are done.
        if (run_position + units_[i].first + units_[i].count > part.begin * kv::kPageTokens)
          span_units_.push_back({i, {part.begin, part.end, &stream}});
      }
    }
    stream.acquire(static_cast<int>(place_[static_cast<std::size_t>(layer)]), span);
    pool_.parallel_for_stealing(0, static_cast<std::int64_t>(span_units_.size()), 1, [&](std::int64_t begin, std::int64_t end, int thread) {
      for (std::int64_t i = begin; i < end && !is_stopped(); ++i) {
        const auto& [unit, keys] = span_units_[static_cast<std::size_t>(i)];
        attend_unit(batch.runs[static_cast<std::size_t>(units_[unit].run)], layer, units_[unit], keys, thread);
      }
    });
    stream.release();
  }
}

void Forward::attend_unit(const Run& run, std::int64_t layer, const Unit& u, const Keys& keys, int thread) {
  const std::int64_t position = run.first_position + u.first;
  const std::int64_t end_page = std::min(keys.end_page, kv::pages_of(position + u.count));
  const std::int64_t width = config_.heads * config_.head_dim, place = place_[static_cast<std::size_t>(layer)] * kv_.layer_bytes;
  const std::int64_t group = config_.heads / config_.kv_heads;
  std::vector<kernels::KvBlock>& blocks = blocks_[static_cast<std::size_t>(thread)];
  if (blocks.size() < static_cast<std::size_t>(end_page)) blocks.resize(static_cast<std::size_t>(end_page) * 2);
  for (std::int64_t p = keys.first_page; p < end_page; ++p) {
    const std::byte* page = run.pages[static_cast<std::size_t>(p)];
    const std::byte* k = page != nullptr ? page + place : keys.stream->slice(u.run, p);
    blocks[static_cast<std::size_t>(p)] = {k + u.kv_head * kv_.k_head_bytes, k + kv_.v_bytes + u.kv_head * kv_.v_head_bytes};
  }
  // One kv head and the query heads that read it, as a model of its own.
  kernels::AttentionArgs args;
  args.q = q_.as<float>() + (run.first_token + u.first) * width + u.kv_head * group * config_.head_dim;
  args.q_stride = width;
  args.out = mixed_.as<float>() + (run.first_token + u.first) * width + u.kv_head * group * config_.head_dim;
  args.out_stride = width;
  args.blocks = blocks.data();
  args.k_type = kv_.k_type;
  args.v_type = kv_.v_type;
  const std::vector<float>& means = key_means_[static_cast<std::size_t>(layer)];
  args.key_means = means.empty() ? nullptr : means.data() + u.kv_head * config_.head_dim;
  args.key_means_stride = config_.kv_heads * config_.head_dim;
  args.page_tokens = kv::kPageTokens;
  args.queries = u.count;
  args.first_position = position;
  args.heads = static_cast<int>(group);
  args.kv_heads = 1;
  args.head_dim = static_cast<int>(config_.head_dim);
  args.scale = 1.0f / std::sqrt(static_cast<float>(config_.head_dim));
  args.scratch = attention_scratch_[static_cast<std::size_t>(thread)].data();
  args.key_begin = keys.first_page * kv::kPageTokens;
  args.key_end = keys.end_page * kv::kPageTokens;
  if (keys.stream != nullptr) {
    const std::int64_t row = (run.first_token + u.first) * config_.heads + u.kv_head * group * u.count;  // a unit's rows lie together
    args.carry = carry_.data() + static_cast<std::size_t>(row) * kernels::attention_carry_bytes(args.head_dim);
  }
  std::byte* states = u.cut >= 0 ? page_states_.data() + cuts_[static_cast<std::size_t>(u.cut)].states : nullptr;
  if (states != nullptr) args.page_states = states + keys.first_page * u.count * state_bytes();
  ops_.attention(args, 0, 1);
  if (states != nullptr) {
    // Release what this part wrote, acquire what the others did: the last one to come here sees all of it.
    if (parts_left_[static_cast<std::size_t>(u.cut)].fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    args.key_begin = 0;
    args.key_end = INT64_MAX;
    args.page_states = states;
    ops_.attention_merge(args, 0, 1);
  }
  // Values were rotated, so their weighted sum is: back to what the layer's next product expects.
  if (!kv_.rotated || args.key_end < position + u.count) return;
  for (std::int64_t i = 0; i < u.count; ++i) ops_.hadamard(args.out + i * args.out_stride, static_cast<std::int64_t>(args.heads) * args.head_dim);
}

}  // namespace codicil::model
