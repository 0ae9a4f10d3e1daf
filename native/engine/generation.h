// One generate job between logits and text: mask automaton, probes, sampling, end conditions, stop strings, whole characters.
//
// Owns: everything that a generation remembers from token to token. Leaves to the scheduler when logits exist and who is called back.
// Threads: choose() touches only this object, so rows of one step are chosen in parallel; everything else runs on the driver thread.
// Rules that must stay true: probes and logprobs are taken before mask, penalty and temperature; emitted text is whole UTF-8
// characters and never contains the beginning of a stop string that might still complete.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernels.h"
#include "native/engine/engine.h"
#include "native/model/sampler.h"
#include "native/model/tokenizer.h"

namespace codicil {

// invalid_request when an option or the mask has no meaning for this vocabulary.
Status check_options(const GenerateOptions& options, std::int64_t vocab);

class Generation {
 public:
  Generation(GenerateOptions options, const model::Tokenizer& tokenizer, const kernels::Ops& ops, std::span<const Token> end_tokens);

  // The step, counted in tokens, whose mask must be given before choose(); -1: none is needed.
  std::int64_t awaited_step() const;
  // Tokens that may still come; 0 where masks come from outside step by step, so that nothing can be guessed.
  std::int64_t draft_room() const;
  Drafting drafting() const { return options_.drafting; }
  std::int64_t draft_tokens() const { return options_.draft_tokens; }
  // How many of these tokens the mask would let through, one after the other, before an end.
  std::size_t plausible(std::span<const Token> draft) const;
  void set_bits(std::vector<std::uint32_t> bits) { bits_ = std::move(bits); }  // for one choose()

  // Takes the logits of the next position and decides; `history` is what the session holds.
  void choose(std::span<const float> logits, std::span<const Token> history);

  struct Outcome {
    bool ended = false;
    Token token = -1;  // new token of the session; -1: none
    std::string text;  // what may be shown now
  };
  Outcome accept();                  // after choose(): moves the mask, the text and the end conditions on
  Outcome stop(Generated::End end);  // ends here, flushing what was held back
  Generated take_result() { return std::move(result_); }

 private:
  bool allowed_now(model::Allowed& allowed);  // false: nothing is
  bool only_end_allowed() const;
  bool is_end(Token token) const;
  std::int32_t state_after(std::int32_t state, Token token) const;  // of the mask; -1: the token is not allowed

  GenerateOptions options_;
  const model::Tokenizer& tokenizer_;
  const kernels::Ops& ops_;
  std::span<const Token> end_tokens_;
  model::Sampler sampler_;
  model::Utf8Stream characters_;
  std::vector<Token> only_;          // allowed tokens of this step
  std::vector<std::uint32_t> bits_;  // [(vocab + 31) / 32] of this step, with step_masks
  std::string held_;                 // text that may be the beginning of a stop string
  Generated result_;
  std::int32_t state_ = 0;  // of the mask
  bool first_ = true;
  Token chosen_ = -1;  // by choose(); -1: nothing was allowed
  double chosen_logprob_ = 0;
};

}  // namespace codicil
