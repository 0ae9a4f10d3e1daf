// One running generation: choosing the next token, ending, and handing out whole UTF-8 characters.
//
// Owns: mask state, stop strings, held-back bytes, probes and reported logits. Leaves the forward pass and the session's pages to the scheduler.
// Rule that must stay true: what was given out is never taken back: text that may still become a stop string or half a character is held.
#include "native/engine/generation.h"

#include <algorithm>
#include <cmath>

namespace codicil {

namespace {

Status bad(const std::string& expected, const std::string& found) {
  return Status(Code::invalid_request, "expected " + expected + ", found " + found + ": correct the options");
}

Status check_mask(const TokenMask& mask, std::int64_t vocab) {
  const auto states = static_cast<std::int64_t>(mask.states.size());
  if (states == 0) return bad("a token mask with at least one state", "none");
  for (const TokenMask::State& state : mask.states) {
    if (state.any_next < -1 || state.any_next >= states)
      return bad("mask states in 0.." + std::to_string(states - 1), std::to_string(state.any_next));
    for (std::size_t i = 0; i < state.edges.size(); ++i) {
      const TokenMask::Edge& edge = state.edges[i];
      if (edge.token < 0 || edge.token >= vocab) return bad("mask tokens in the vocabulary of " + std::to_string(vocab), std::to_string(edge.token));
      if (edge.next < 0 || edge.next >= states) return bad("mask states in 0.." + std::to_string(states - 1), std::to_string(edge.next));
      if (i > 0 && state.edges[i - 1].token >= edge.token)
        return bad("mask edges sorted by token, each token once", "token " + std::to_string(edge.token) + " out of order");
    }
  }
  return {};
}

}  // namespace

Status check_options(const GenerateOptions& o, std::int64_t vocab) {
  if (o.max_tokens < 0) return bad("max_tokens of 0 or more", std::to_string(o.max_tokens));
  if (o.draft_tokens < 0) return bad("draft_tokens of 0 or more", std::to_string(o.draft_tokens));
  if (!(o.temperature >= 0) || !std::isfinite(o.temperature)) return bad("a temperature of 0 or more", std::to_string(o.temperature));
  if (!(o.top_p > 0 && o.top_p <= 1)) return bad("top_p above 0 and at most 1", std::to_string(o.top_p));
  if (o.top_k < 0) return bad("top_k of 0 or more", std::to_string(o.top_k));
  if (o.top_logits < 0) return bad("top_logits of 0 or more", std::to_string(o.top_logits));
  if (!(o.min_p >= 0 && o.min_p <= 1)) return bad("min_p in 0..1", std::to_string(o.min_p));
  if (!std::isfinite(o.presence_penalty)) return bad("a finite presence penalty", std::to_string(o.presence_penalty));
  if (!(o.repetition_penalty > 0)) return bad("a repetition penalty above 0", std::to_string(o.repetition_penalty));
  for (const std::string& stop : o.stop) {
    if (stop.empty()) return bad("stop strings of at least one character", "an empty one");
  }
  for (const Token probe : o.probes) {
    if (probe < 0 || probe >= vocab) return bad("probe tokens in the vocabulary of " + std::to_string(vocab), std::to_string(probe));
  }
  return o.mask ? check_mask(*o.mask, vocab) : Status();
}

Generation::Generation(GenerateOptions options, const model::Tokenizer& tokenizer, const kernels::Ops& ops, std::span<const Token> end_tokens)
    : options_(std::move(options)),
      tokenizer_(tokenizer),
      ops_(ops),
      end_tokens_(end_tokens),
      sampler_({options_.temperature, options_.top_k, options_.top_p, options_.min_p, options_.repetition_penalty, options_.presence_penalty,
                options_.seed}) {}

std::int64_t Generation::awaited_step() const {
  const auto step = static_cast<std::int64_t>(result_.tokens.size());
  return options_.step_masks && step < options_.max_tokens ? step : -1;
}

std::int64_t Generation::draft_room() const {
  return options_.step_masks ? 0 : options_.max_tokens - static_cast<std::int64_t>(result_.tokens.size()) - 1;
}

std::int32_t Generation::state_after(std::int32_t state, Token token) const {
  const TokenMask::State& from = options_.mask->states[static_cast<std::size_t>(state)];
  const auto edge =
      std::lower_bound(from.edges.begin(), from.edges.end(), token, [](const TokenMask::Edge& e, Token wanted) { return e.token < wanted; });
  return edge != from.edges.end() && edge->token == token ? edge->next : from.any_next;
}

std::size_t Generation::plausible(std::span<const Token> draft) const {
  std::int32_t state = state_;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (is_end(draft[i])) return i;
    if (options_.mask && (state = state_after(state, draft[i])) < 0) return i;
  }
  return draft.size();
}

bool Generation::is_end(Token token) const { return std::find(end_tokens_.begin(), end_tokens_.end(), token) != end_tokens_.end(); }

bool Generation::allowed_now(model::Allowed& allowed) {
  if (!options_.mask) return true;
  const TokenMask::State& state = options_.mask->states[static_cast<std::size_t>(state_)];
  if (state.any_next >= 0) {
    if (!state.may_end) allowed.forbidden = end_tokens_;
    return true;
  }
  only_.clear();
  for (const TokenMask::Edge& edge : state.edges) {
    if (!is_end(edge.token)) only_.push_back(edge.token);
  }
  if (state.may_end) only_.insert(only_.end(), end_tokens_.begin(), end_tokens_.end());
  allowed.any = false;
  allowed.only = only_;
  return !only_.empty();
}

bool Generation::only_end_allowed() const {
  if (!options_.mask) return false;
  const TokenMask::State& state = options_.mask->states[static_cast<std::size_t>(state_)];
  return state.may_end && state.any_next < 0 &&
         std::all_of(state.edges.begin(), state.edges.end(), [&](const TokenMask::Edge& edge) { return is_end(edge.token); });
}

void Generation::choose(std::span<const float> logits, std::span<const Token> history) {
  const double normalizer = ops_.log_sum_exp(logits.data(), static_cast<std::int64_t>(logits.size()));
  const auto logprob = [&](Token token) { return static_cast<double>(logits[static_cast<std::size_t>(token)]) - normalizer; };
  if (first_) {
    for (const Token probe : options_.probes) result_.probe_logprobs.push_back(logprob(probe));
    first_ = false;
  }
  chosen_ = -1;
  if (static_cast<std::int64_t>(result_.tokens.size()) >= options_.max_tokens) return;
  if (options_.top_logits > 0) {
    std::vector<TopLogit>& top = result_.top.emplace_back();
    for (const model::Candidate& c : model::best_of(logits, options_.top_logits)) top.push_back({c.token, c.logit});
  }
  model::Allowed allowed;
  if (!allowed_now(allowed)) return;
  allowed.masked = options_.step_masks;
  allowed.bits = bits_;
  chosen_ = sampler_.sample(ops_, logits, history, allowed);
  if (chosen_ < 0) return;
  chosen_logprob_ = logprob(chosen_);
}

Generation::Outcome Generation::accept() {
  if (static_cast<std::int64_t>(result_.tokens.size()) >= options_.max_tokens) return stop(Generated::End::max_tokens);
  if (chosen_ < 0) return stop(Generated::End::mask);
  if (is_end(chosen_)) return stop(Generated::End::end_token);
  if (options_.mask) state_ = state_after(state_, chosen_);
  result_.tokens.push_back(chosen_);
  result_.logprobs.push_back(chosen_logprob_);
  Outcome out;
  out.token = chosen_;
  held_ += characters_.push(tokenizer_.bytes(chosen_));
  std::size_t found = std::string::npos;
  for (const std::string& stop : options_.stop) found = std::min(found, held_.find(stop));
  if (found != std::string::npos) {
    held_.resize(found);
    out.text = std::move(held_);
    held_.clear();
    result_.text += out.text;
    result_.end = Generated::End::stop_string;
    out.ended = true;
    return out;
  }
  // The longest end of the text that begins a stop string stays back.
  std::size_t keep = 0;
  for (const std::string& stop : options_.stop) {
    for (std::size_t n = std::min(stop.size() - 1, held_.size()); n > keep; --n) {
      if (held_.compare(held_.size() - n, n, stop, 0, n) == 0) keep = n;
    }
  }
  while (keep < held_.size() && keep > 0 && (static_cast<unsigned char>(held_[held_.size() - keep]) & 0xc0) == 0x80) keep += 1;
  out.text = held_.substr(0, held_.size() - keep);
  held_.erase(0, held_.size() - keep);
  result_.text += out.text;
  const bool full = static_cast<std::int64_t>(result_.tokens.size()) >= options_.max_tokens;
  // Where the mask allows nothing but an end, the model need not be asked: a step is saved for every answer of the Reader.
  if (!full && !only_end_allowed()) return out;
  Outcome rest = stop(only_end_allowed() ? Generated::End::end_token : Generated::End::max_tokens);
  out.text += rest.text;
  out.ended = true;
  return out;
}

Generation::Outcome Generation::stop(Generated::End end) {
  Outcome out;
  out.ended = true;
  out.text = std::move(held_) + characters_.finish();
  held_.clear();
  result_.text += out.text;
  result_.end = end;
  return out;
}

}  // namespace codicil
