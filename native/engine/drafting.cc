// Prompt lookup and the length of a draft. See drafting.h.
//
// Owns: hash chains over n-grams (newest first, as in LZ77 matchers) and the gain of k guesses. Rule: nothing here reads a clock or a random number,
// and no result depends on more than tokens and counts, so a run can be repeated.
#include "native/engine/drafting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string_view>

#include "native/engine/engine.h"

namespace codicil {

namespace {

// Guesses that count: about the last 40, a few sentences of an answer.
constexpr double kFade = 0.975;
// A gain below this is noise, and the rows are better left to other sessions.
constexpr double kLeastGain = 1.03;

}  // namespace

std::size_t LookupIndex::slot(const Token* gram) const {
  std::uint64_t hash = 0;
  for (std::int64_t i = 0; i < kGram; ++i) hash = (hash ^ static_cast<std::uint32_t>(gram[i])) * 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(hash >> 32) & (newest_.size() - 1);
}

void LookupIndex::grow(std::size_t tokens) { newest_.assign(std::bit_ceil(std::max<std::size_t>(2 * tokens, 1024)), -1); }

void LookupIndex::extend(std::span<const Token> tokens) {
  const auto size = static_cast<std::int64_t>(tokens.size());
  if (newest_.size() < tokens.size()) {  // all chains begin anew: rare, and bounded by what was indexed before
    grow(tokens.size());
    indexed_ = 0;
    previous_.clear();
  }
  const std::int64_t end = std::min(size, indexed_ + kIndexed);
  previous_.resize(static_cast<std::size_t>(end), -1);
  for (; indexed_ < end; ++indexed_) {
    if (indexed_ + 1 < kGram) continue;
    std::int32_t& newest = newest_[slot(tokens.data() + indexed_ + 1 - kGram)];
    previous_[static_cast<std::size_t>(indexed_)] = newest;
    newest = static_cast<std::int32_t>(indexed_);
  }
}

std::int64_t LookupIndex::find(std::span<const Token> tokens, std::int64_t least, std::int64_t count, std::vector<Token>& draft) const {
  draft.clear();
  const auto size = static_cast<std::int64_t>(tokens.size());
  if (size < kGram || newest_.empty()) return 0;
  std::int64_t best = 0, best_at = -1;
  std::int32_t at = newest_[slot(tokens.data() + size - kGram)];
  for (int seen = 0; at >= 0 && seen < kCandidates; at = previous_[static_cast<std::size_t>(at)]) {
    if (at + 1 >= size) continue;  // the end itself: nothing follows it
    seen += 1;
    std::int64_t length = 0;
    while (length < kLongest && length <= at && tokens[static_cast<std::size_t>(at - length)] == tokens[static_cast<std::size_t>(size - 1 - length)])
      length += 1;
    if (length <= best) continue;
    best = length;
    best_at = at;
  }
  if (best < std::max(least, kGram)) return 0;
  // Where the earlier place is near the end, what follows it repeats itself: a list or a table goes on as it began.
  const std::int64_t period = size - 1 - best_at;
  for (std::int64_t i = 0; i < count; ++i) draft.push_back(tokens[static_cast<std::size_t>(best_at + 1 + i % period)]);
  return best;
}

std::int64_t DraftLength::choose(double share) {
  if (wait_ > 0) {
    wait_ -= 1;
    return 0;
  }
  // k guesses give 1 + p + ... + p^k tokens for a step that costs 1 + k x share.
  const double p = acceptance();
  double tokens = 1, power = 1, best_gain = 1;
  std::int64_t best = 0;
  for (std::int64_t k = 1; k <= most_; ++k) {
    power *= p;
    tokens += power;
    const double gain = tokens / (1 + static_cast<double>(k) * share);
    if (gain <= best_gain) continue;
    best_gain = gain;
    best = k;
  }
  if (best > 0 && best_gain >= kLeastGain) return best;
  wait_ = pause_;
  pause_ = std::min(pause_ * patience_, kLongestPause * patience_ / 2);
  return 1;  // one row tells whether the text has turned
}

void DraftLength::verified(std::int64_t drafted, std::int64_t accepted) {
  if (drafted <= 0) return;
  hits_ = hits_ * kFade + static_cast<double>(accepted);
  misses_ = misses_ * kFade + (accepted < drafted ? 1 : 0);
  if (accepted == drafted) pause_ = 1;
}

std::optional<Drafting> drafting_named(std::string_view name) {
  for (const Drafting drafting : {Drafting::off, Drafting::lookup, Drafting::mtp, Drafting::automatic})
    if (drafting_name(drafting) == name) return drafting;
  return std::nullopt;
}

std::string_view drafting_name(Drafting drafting) {
  switch (drafting) {
    case Drafting::off:
      return "off";
    case Drafting::lookup:
      return "lookup";
    case Drafting::mtp:
      return "mtp";
    case Drafting::automatic:
      break;
  }
  return "auto";
}

std::span<const Token> Drafter::look_up(std::span<const Token> tokens, std::int64_t most, double row_share) {
  index_.extend(tokens);
  if (most <= 0) return {};
  const std::int64_t length = index_.find(tokens, LookupIndex::kGram, std::min(most, kMost), draft_);
  if (length == 0) return {};
  source_ = length < 6 ? 0 : length < 16 ? 1 : 2;
  const std::int64_t worth = fixed_ > 0 ? fixed_ : lengths_[source_].choose(row_share);
  if (worth < static_cast<std::int64_t>(draft_.size())) draft_.resize(static_cast<std::size_t>(worth));
  return draft_;
}

void Drafter::verified(std::int64_t drafted, std::int64_t accepted) { lengths_[source_].verified(drafted, accepted); }

}  // namespace codicil
