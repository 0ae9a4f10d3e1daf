// Drafting: guesses of the next tokens, so that one pass over the weights can confirm several tokens.
//
// Owns: prompt lookup (answers quote the document: the longest earlier occurrence of the last tokens says what comes next) and how many
// tokens are worth guessing. Leaves to Forward the model's own head (mtp.cc), to the scheduler what its guesses cost and the pass that verifies a draft.
// Source: Leviathan et al. 2023, "Fast inference from transformers via speculative decoding" (gain of k guesses); Saxena 2023, "Prompt lookup
// decoding". Here every row is sampled as if it had been computed alone, so a draft never changes a token, at any temperature.
// Rule that must stay true: work per call is bounded, however long the session is.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "native/kv/kv.h"

namespace codicil {

using kv::Token;

// Where n-grams stood before. Tokens are indexed as they come; the list only ever grows (one generation).
class LookupIndex {
 public:
  static constexpr std::int64_t kGram = 3;         // tokens that must agree at least: two agree by chance all the time
  static constexpr std::int64_t kLongest = 32;     // a longer agreement says no more
  static constexpr int kCandidates = 16;           // earlier places that are compared, newest first
  static constexpr std::int64_t kIndexed = 16384;  // tokens that one call indexes at most: about a tenth of a millisecond

  void extend(std::span<const Token> tokens);
  // What followed the longest earlier occurrence of the end of `tokens` (all of them indexed or not), at most `count`; the newest of equal ones.
  // Returns the length of the agreement; 0: there is none of at least `least`.
  std::int64_t find(std::span<const Token> tokens, std::int64_t least, std::int64_t count, std::vector<Token>& draft) const;
  std::int64_t indexed() const { return indexed_; }

 private:
  std::size_t slot(const Token* gram) const;
  void grow(std::size_t tokens);

  std::vector<std::int32_t> newest_;    // [power of two] by hash: index of the last token of the newest gram, -1: none
  std::vector<std::int32_t> previous_;  // [indexed] the gram before it in the same slot
  std::int64_t indexed_ = 0;
};

// How many tokens to guess, from how many guesses came true and from what a further row of a step costs.
class DraftLength {
 public:
  // patience: by which the pause grows after each guess that was tried in vain.
  explicit DraftLength(std::int64_t most, int patience = 2) : most_(most), patience_(patience) {}
  // share: of a step, what one more guess takes: StepCost::row_share, and for the head the guess itself. 0: guessing does not pay now; a guess is then
  // tried again after a pause that doubles to kLongestPause.
  std::int64_t choose(double share);
  void verified(std::int64_t drafted, std::int64_t accepted);
  double acceptance() const { return hits_ / (hits_ + misses_); }

 private:
  static constexpr int kLongestPause = 32;  // steps, for a patience of 2
  const std::int64_t most_;
  const int patience_;
  // One imaginary hit and miss each: the first guess is made with open mind.
  double hits_ = 1, misses_ = 1;
  int pause_ = 1, wait_ = 0;
};

// The lookups of one generation. Long agreements come true more often than short ones, so each class learns its own length.
class Drafter {
 public:
  static constexpr std::int64_t kMost = 16;  // a row beyond costs attention and arithmetic, and seldom comes true

  // fixed: guesses a step, 0: as many as pay.
  explicit Drafter(std::int64_t fixed = 0) : fixed_(fixed) {}
  // Guesses of at most `most` tokens for what follows `tokens`; empty: none is worth its row.
  std::span<const Token> look_up(std::span<const Token> tokens, std::int64_t most, double row_share);
  void verified(std::int64_t drafted, std::int64_t accepted);  // of the last guess that was taken

 private:
  static constexpr std::size_t kClasses = 3;
  const std::int64_t fixed_;
  LookupIndex index_;
  std::vector<Token> draft_;
  std::array<DraftLength, kClasses> lengths_{DraftLength(kMost), DraftLength(kMost), DraftLength(kMost)};
  std::size_t source_ = 0;  // class of the last guess
};

}  // namespace codicil
