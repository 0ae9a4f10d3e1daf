// From logits to a token: penalties, temperature, top-k, top-p, min-p, and the draw.
//
// Owns: the order of the filters and the random generator. Leaves masks to the caller, who passes what is allowed.
// Rule that must stay true: the same seed and logits give the same token at any thread count; greedy takes the lowest id of equal logits.
#include "native/model/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace codicil::model {

namespace {

// llama.cpp's default window (`repeat_last_n`): long enough against loops, short enough that names may come back.
constexpr std::size_t kPenaltyWindow = 64;

bool contains(std::span<const Token> tokens, Token token) { return std::find(tokens.begin(), tokens.end(), token) != tokens.end(); }

// A heap whose front is the best candidate.
constexpr auto kWorse = [](const Candidate& a, const Candidate& b) { return better(b, a); };

}  // namespace

std::vector<Candidate> best_of(std::span<const float> logits, int count) {
  const std::size_t wanted = std::min(logits.size(), static_cast<std::size_t>(std::max(count, 0)));
  std::vector<Candidate> best;  // kept sorted: `wanted` is small, and almost every logit fails the first comparison
  best.reserve(wanted + 1);
  for (std::size_t i = 0; i < logits.size() && wanted > 0; ++i) {
    const Candidate candidate{static_cast<Token>(i), logits[i]};
    if (best.size() == wanted && !better(candidate, best.back())) continue;
    best.insert(std::upper_bound(best.begin(), best.end(), candidate, better), candidate);
    if (best.size() > wanted) best.pop_back();
  }
  return best;
}

Sampler::Sampler(const SamplerOptions& options) : options_(options), state_(options.seed) {}

// splitmix64 (Steele, Lea, Flood 2014): one addition and a mix per number, any seed is good.
double Sampler::next_uniform() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53;
}

Token Sampler::sample(const kernels::Ops& ops, std::span<const float> logits, std::span<const Token> history, const Allowed& allowed) {
  const bool greedy = options_.temperature <= 0;
  const bool penalty = (options_.repetition_penalty != 1.0f && options_.repetition_penalty > 0) || options_.presence_penalty != 0;
  if (greedy && !penalty && allowed.any && !allowed.masked && allowed.forbidden.empty()) {
    return static_cast<Token>(ops.argmax(logits.data(), static_cast<std::int64_t>(logits.size())));
  }
  gather(logits, allowed);
  if (candidates_.empty()) return -1;
  if (penalty) penalize(history);
  if (greedy) return std::min_element(candidates_.begin(), candidates_.end(), better)->token;
  return draw();
}

void Sampler::gather(std::span<const float> logits, const Allowed& allowed) {
  candidates_.clear();
  const auto add = [&](Token token) { candidates_.push_back({token, logits[static_cast<std::size_t>(token)]}); };
  if (!allowed.any) {
    for (const Token token : allowed.only)
      if (!allowed.masked || has_bit(allowed.bits, token)) add(token);
  } else if (allowed.masked) {
    // Word by word: most masks of a grammar allow a few tokens of 150,000.
    for (std::size_t w = 0; w < allowed.bits.size(); ++w) {
      for (std::uint32_t word = allowed.bits[w]; word != 0; word &= word - 1) {
        const std::size_t i = w * 32 + static_cast<std::size_t>(std::countr_zero(word));
        if (i < logits.size() && !contains(allowed.forbidden, static_cast<Token>(i))) add(static_cast<Token>(i));
      }
    }
  } else {
    for (std::size_t i = 0; i < logits.size(); ++i)
      if (!contains(allowed.forbidden, static_cast<Token>(i))) add(static_cast<Token>(i));
  }
}

// Each recent token once: both penalties ask whether it is there, not how often.
void Sampler::penalize(std::span<const Token> history) {
  const auto window = history.subspan(history.size() - std::min(history.size(), kPenaltyWindow));
  recent_.assign(window.begin(), window.end());
  std::sort(recent_.begin(), recent_.end());
  for (Candidate& candidate : candidates_) {
    if (!std::binary_search(recent_.begin(), recent_.end(), candidate.token)) continue;
    candidate.logit = candidate.logit > 0 ? candidate.logit / options_.repetition_penalty : candidate.logit * options_.repetition_penalty;
    candidate.logit -= options_.presence_penalty;
  }
}

void Sampler::keep_top_k() {
  if (options_.top_k <= 0 || candidates_.size() <= static_cast<std::size_t>(options_.top_k)) return;
  const auto kept = candidates_.begin() + options_.top_k;
  std::nth_element(candidates_.begin(), kept, candidates_.end(), better);
  candidates_.erase(kept, candidates_.end());
}

// Candidates leave a heap best first until they hold top_p of the chance: a full sort of 150,000 costs milliseconds.
void Sampler::keep_top_p(double best_logit) {
  if (options_.top_p >= 1) return;
  double total = 0;
  for (const Candidate& candidate : candidates_) total += std::exp(candidate.logit - best_logit);
  std::make_heap(candidates_.begin(), candidates_.end(), kWorse);
  auto end = candidates_.end();
  double sum = 0;
  do {  // the best one always stays
    std::pop_heap(candidates_.begin(), end, kWorse);
    sum += std::exp((--end)->logit - best_logit);
  } while (end != candidates_.begin() && sum < options_.top_p * total);
  candidates_.erase(candidates_.begin(), end);
}

void Sampler::keep_min_p(double best_logit) {
  if (options_.min_p <= 0) return;
  const double floor = std::min(1.0, static_cast<double>(options_.min_p));
  std::erase_if(candidates_, [&](const Candidate& candidate) { return std::exp(candidate.logit - best_logit) < floor; });
}

Token Sampler::draw() {
  const double best_logit = std::min_element(candidates_.begin(), candidates_.end(), better)->logit;
  keep_top_k();
  keep_top_p(best_logit);
  keep_min_p(best_logit);
  // The order that the steps above left depends on the library's algorithms; the draw must not.
  std::sort(candidates_.begin(), candidates_.end(), better);
  weights_.resize(candidates_.size());
  double sum = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    weights_[i] = std::exp((candidates_[i].logit - best_logit) / options_.temperature);
    sum += weights_[i];
  }
  double point = next_uniform() * sum;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    point -= weights_[i];
    if (point < 0) return candidates_[i].token;
  }
  return candidates_.front().token;  // rounding left a hair beyond the last weight
}

}  // namespace codicil::model
