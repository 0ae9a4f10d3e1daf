// From one row of logits to one token.
//
// Owns: masks, repetition and presence penalty, top-k, top-p, min-p, temperature (in this order, as llama.cpp applies them) and the random
// numbers.
// Leaves to native/engine: what a token mask allows at this moment, stop conditions, log-probabilities.
// Rule that must stay true: the same options, logits and history give the same tokens, on any machine and thread count; so the
// generator is our own, sums run in f64 in a fixed order, and ties are broken by the lower id.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernels.h"

namespace codicil::model {

using Token = std::int32_t;

struct SamplerOptions {
  float temperature = 0;  // 0: greedy
  int top_k = 0;          // 0: off
  float top_p = 1, min_p = 0, repetition_penalty = 1;
  float presence_penalty = 0;  // taken from the logit of every token that is in the recent history, however often
  std::uint64_t seed = 0;
};

// A token mask as grammar libraries make it (XGrammar, llguidance): bit t % 32 of word t / 32 says whether token t is allowed.
// Tokens behind the last word are not.
using TokenBits = std::span<const std::uint32_t>;  // [(vocab + 31) / 32]
inline bool has_bit(TokenBits bits, Token token) {
  const auto t = static_cast<std::size_t>(token);
  return t / 32 < bits.size() && (bits[t / 32] >> (t % 32) & 1) != 0;
}

// What may be chosen in this step.
struct Allowed {
  bool any = true;              // every token but `forbidden`; false: only `only`
  std::span<const Token> only;  // each token once
  std::span<const Token> forbidden;
  bool masked = false;  // `bits` counts too
  TokenBits bits{};
};

struct Candidate {
  Token token;
  float logit;
};
inline bool better(const Candidate& a, const Candidate& b) { return a.logit > b.logit || (a.logit == b.logit && a.token < b.token); }

// The `count` best tokens of a row, best first.
std::vector<Candidate> best_of(std::span<const float> logits, int count);

class Sampler {
 public:
  explicit Sampler(const SamplerOptions& options);
  // logits[vocab]; `history`: the tokens so far, newest last. `logits` is not changed. -1: no token is allowed.
  Token sample(const kernels::Ops& ops, std::span<const float> logits, std::span<const Token> history, const Allowed& allowed);

 private:
  void gather(std::span<const float> logits, const Allowed& allowed);
  void penalize(std::span<const Token> history);
  void keep_top_k();
  void keep_top_p(double best_logit);
  void keep_min_p(double best_logit);
  Token draw();
  double next_uniform();  // [0, 1)

  SamplerOptions options_;
  std::uint64_t state_;
  std::vector<Candidate> candidates_;  // [allowed tokens], reused from step to step
  std::vector<Token> recent_;          // of the penalty window, sorted
  std::vector<double> weights_;        // [candidates that survived]
};

}  // namespace codicil::model
