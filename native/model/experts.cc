// Experts: the tokens of a batch, gathered by the experts that they chose, so that the weights of an expert are read once for all of them.
//
// Owns: the order of the gathered rows and the units of work. Choosing and adding are parts of a layer (lane.h); which experts are in memory is
// expert_cache.h's.
// Rule that must stay true: what an expert gives for a token does not depend on which tokens came with it, and a token adds its experts best first.

#include <algorithm>

#include "native/model/expert_cache.h"
#include "native/model/forward.h"

namespace codicil::model {

// Counting sort of (token, choice) by expert: sorted_ holds tokens, rows_ where a choice went, expert_begin_ where an expert's tokens begin.
void Forward::sort_by_expert(std::int64_t tokens) {
  const ExpertShape& e = config_.experts;
  std::fill(expert_begin_.begin(), expert_begin_.end(), 0);
  for (std::int64_t i = 0; i < tokens * e.used; ++i) expert_begin_[static_cast<std::size_t>(choice_[static_cast<std::size_t>(i)]) + 1] += 1;
  for (std::size_t i = 1; i < expert_begin_.size(); ++i) expert_begin_[i] += expert_begin_[i - 1];
  for (std::int64_t i = 0; i < tokens * e.used; ++i) {
    const auto at = static_cast<std::size_t>(i);
    std::int64_t& next = expert_begin_[static_cast<std::size_t>(choice_[at])];
    sorted_[static_cast<std::size_t>(next)] = static_cast<std::int32_t>(i / e.used);
    rows_[at] = static_cast<std::int32_t>(next++);
  }
  // Every beginning has moved to the next one's; move them back.
  std::rotate(expert_begin_.rbegin(), expert_begin_.rbegin() + 1, expert_begin_.rend());
  expert_begin_.front() = 0;
}

Status Forward::run_experts(std::int64_t tokens, std::int64_t layer) {
  sort_by_expert(tokens);
  expert_units_.clear();
  for (std::int64_t e = 0; e < config_.experts.count; ++e) {
    const std::int64_t end = expert_begin_[static_cast<std::size_t>(e) + 1];
    for (std::int64_t first = expert_begin_[static_cast<std::size_t>(e)]; first < end; first += tile_rows_)
      expert_units_.push_back({static_cast<std::int32_t>(e), first, std::min(tile_rows_, end - first)});
  }
  if (weights_.expert_cache() != nullptr) return stream_experts(layer);
  const std::vector<MlpWeights>& experts = weights(layer).moe.experts;
  pool_.parallel_for_stealing(0, static_cast<std::int64_t>(expert_units_.size()), 1, [&](std::int64_t begin, std::int64_t end, int thread) {
    for (std::int64_t i = begin; i < end && !is_stopped(); ++i) {
      const ExpertUnit& unit = expert_units_[static_cast<std::size_t>(i)];
      run_expert(unit, experts[static_cast<std::size_t>(unit.expert)], thread);
    }
  });
  return {};
}

// Threads take experts as they are ready: those in memory first, while the others are being read. All units of an expert are one thread's.
Status Forward::stream_experts(std::int64_t layer) {
  ExpertCache& cache = *weights_.expert_cache();
  wanted_experts_.clear();
  for (const ExpertUnit& unit : expert_units_)
    if (wanted_experts_.empty() || wanted_experts_.back() != unit.expert) wanted_experts_.push_back(unit.expert);
  cache.begin(layer, wanted_experts_);
  pool_.parallel_for(0, pool_.threads(), 1, [&](std::int64_t, std::int64_t, int thread) {
    while (const std::optional<ExpertCache::Lease> lease = cache.take()) {
      const auto before = [](const ExpertUnit& unit, std::int32_t expert) { return unit.expert < expert; };
      for (auto unit = std::lower_bound(expert_units_.begin(), expert_units_.end(), lease->expert, before);
           unit != expert_units_.end() && unit->expert == lease->expert && !is_stopped(); ++unit)
        run_expert(*unit, lease->weights, thread);
      cache.give_back(*lease);
    }
  });
  return cache.end();
}

void Forward::run_expert(const ExpertUnit& unit, const MlpWeights& expert, int thread) {
  const std::int64_t embedding = config_.embedding, inner = config_.experts.ffn;
  const Lane part = lane(nullptr, 0, unit.count, thread, Mixer::attention);
  for (std::int64_t i = 0; i < unit.count; ++i) {
    const std::int64_t token = sorted_[static_cast<std::size_t>(unit.first + i)];
    std::copy_n(ffn_in_.as<float>() + token * embedding, embedding, part.h + i * embedding);
  }
  part.multiply({{expert.gate, part.gate}, {expert.up, part.up}}, part.h, embedding);
  part.each_token([&](std::int64_t t) { ops_.silu_mul(part.gate + t * inner, part.up + t * inner, inner); });
  part.multiply({{expert.down, expert_out_.as<float>() + unit.first * embedding}}, part.gate, inner);
}

}  // namespace codicil::model
