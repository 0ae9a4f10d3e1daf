// What a step of the model will take, learnt from the steps that were taken.
//
// Owns: a fit of seconds = fixed + tokens x a + pairs x b, where a pair is one token that attends to one earlier token: the three ways in which
// a step's time grows (reading the weights, arithmetic, attention at depth). Leaves to the scheduler how much time a step may take.
// Rules that must stay true: coefficients are never negative, so more work never looks cheaper; older steps fade, so a machine that becomes
// slower is noticed within about a second; before anything was measured every step looks free.
#pragma once

#include <array>
#include <cstdint>

namespace codicil {

struct StepWork {
  std::int64_t tokens = 0;
  double pairs = 0;  // over all tokens: positions before it and its own
  // `count` tokens from `position` on.
  void add(std::int64_t position, std::int64_t count) {
    tokens += count;
    pairs += static_cast<double>(count) * (static_cast<double>(position) + (static_cast<double>(count) + 1) / 2);
  }
};

class StepCost {
 public:
  void measured(const StepWork& work, double seconds);
  double seconds(const StepWork& work) const { return fit_[0] + per_token(work.tokens, work.pairs); }
  // Tokens from `position` on that fit into what `planned` leaves of `budget` seconds; at least 0, at most `most`.
  std::int64_t affordable(const StepWork& planned, double budget, std::int64_t position, std::int64_t most) const;
  // Share of a step of `rows` tokens that one of them costs alone: near 0 where reading the weights is all, 1 where arithmetic is.
  double row_share(std::int64_t rows) const;
  double fixed() const { return fit_[0]; }  // seconds of a step whatever is in it: the weights are read
  bool known() const { return weight_ > 0; }

 private:
  static constexpr int kTerms = 3;
  double per_token(std::int64_t tokens, double pairs) const { return fit_[1] * static_cast<double>(tokens) + fit_[2] * pairs; }
  void solve();

  // Normal equations of the weighted least squares.
  std::array<std::array<double, kTerms>, kTerms> products_{};
  std::array<double, kTerms> targets_{};
  std::array<double, kTerms> fit_{};  // seconds; seconds per token; seconds per pair
  double weight_ = 0;
};

}  // namespace codicil
