// Attention over pages: which thread takes which queries and heads, and where their keys lie.
//
// Leaves the arithmetic to the op table. Rules: a unit is one kv head with query heads that read it, so keys of a page are read once for all of them;
// keys that come from SSD come in spans, and a unit goes on in the next span with the softmax that it left in the carry, to the same bits.

#include <algorithm>
#include <cmath>

#include "native/kv/layer_stream.h"
#include "native/model/forward.h"

namespace codicil::model {

namespace {

// Queries of one sequence that one attention unit takes: keys of a page are read once for all of them.
constexpr std::int64_t kAttentionQueries = 64;

}  // namespace

void Forward::plan_units(const Batch& batch) {
  units_.clear();
  run_units_.assign(1, 0);
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
    run_units_.push_back(units_.size());
  }
}

void Forward::attend(const Batch& batch, std::int64_t layer) {
  if (batch.stream != nullptr) return attend_streamed(batch, layer);
  pool_.parallel_for_stealing(0, static_cast<std::int64_t>(units_.size()), 1, [&](std::int64_t begin, std::int64_t end, int thread) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Unit& unit = units_[static_cast<std::size_t>(i)];
      const Run& run = batch.runs[static_cast<std::size_t>(unit.run)];
      attend_unit(run, layer, unit, {0, static_cast<std::int64_t>(run.pages.size()), nullptr}, thread);
    }
  });
}

void Forward::attend_streamed(const Batch& batch, std::int64_t layer) {
  kv::LayerStream& stream = *batch.stream;
  for (std::int64_t span = 0; span < stream.spans(); ++span) {
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
      for (std::int64_t i = begin; i < end; ++i) {
        const auto& [unit, keys] = span_units_[static_cast<std::size_t>(i)];
        attend_unit(batch.runs[static_cast<std::size_t>(units_[unit].run)], layer, units_[unit], keys, thread);
      }
    });
    stream.release();
  }
}

void Forward::attend_unit(const Run& run, std::int64_t layer, const Unit& u, const Keys& keys, int thread) {
  const std::int64_t position = run.first_position + u.first;
  const std::int64_t pages = std::min(keys.end_page, (position + u.count + kv::kPageTokens - 1) / kv::kPageTokens);
  const std::int64_t width = config_.heads * config_.head_dim, place = place_[static_cast<std::size_t>(layer)] * kv_.layer_bytes;
  std::vector<kernels::KvBlock>& blocks = blocks_[static_cast<std::size_t>(thread)];
  if (blocks.size() < static_cast<std::size_t>(pages)) blocks.resize(static_cast<std::size_t>(pages) * 2);
  for (std::int64_t p = keys.first_page; p < pages; ++p) {
    const std::byte* page = run.pages[static_cast<std::size_t>(p)];
    const std::byte* k = page != nullptr ? page + place : keys.stream->slice(u.run, p);
    blocks[static_cast<std::size_t>(p)] = {k + u.kv_head * kv_.k_head_bytes, k + kv_.v_bytes + u.kv_head * kv_.v_head_bytes};
  }
  // One kv head and the query heads that read it, as a model of its own.
  kernels::AttentionArgs args;
  args.q = q_.as<float>() + (run.first_token + u.first) * width + u.head_begin * config_.head_dim;
  args.q_stride = width;
  args.out = mixed_.as<float>() + (run.first_token + u.first) * width + u.head_begin * config_.head_dim;
  args.out_stride = width;
  args.blocks = blocks.data();
  args.k_type = kv_.k_type;
  args.v_type = kv_.v_type;
  args.page_tokens = kv::kPageTokens;
  args.queries = u.count;
  args.first_position = position;
  args.heads = u.head_end - u.head_begin;
  args.kv_heads = 1;
  args.head_dim = static_cast<int>(config_.head_dim);
  args.scale = 1.0f / std::sqrt(static_cast<float>(config_.head_dim));
  args.scratch = attention_scratch_[static_cast<std::size_t>(thread)].data();
  args.key_begin = keys.first_page * kv::kPageTokens;
  args.key_end = keys.end_page * kv::kPageTokens;
  if (keys.stream != nullptr) {
    const std::int64_t row = (run.first_token + u.first) * config_.heads + u.head_begin * u.count;  // a unit's rows lie together
    args.carry = carry_.data() + static_cast<std::size_t>(row) * kernels::attention_carry_bytes(args.head_dim);
  }
  ops_.attention(args, 0, 1);
  // Values were rotated, so their weighted sum is: back to what the layer's next product expects.
  if (!kv_.rotated || args.key_end < position + u.count) return;
  for (std::int64_t i = 0; i < u.count; ++i) ops_.hadamard(args.out + i * args.out_stride, static_cast<std::int64_t>(args.heads) * args.head_dim);
}

}  // namespace codicil::model
