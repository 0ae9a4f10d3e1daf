// The head that predicts the token after next (multi-token prediction): one attention layer behind the model, fed with what the model made of a
// token and with the token that came next.
//
// Owns: the keys of the head for every token that is read, the hidden state at the end of a run's recurrent state, guesses. Leaves verifying them to
// native/engine.
// Source: DeepSeek-V3 technical report, section 2.2; tensors and order are those of Qwen3.5 (`nextn.*`): join [norm(embedding of t_s);
// norm(H_{s-1})], a layer of gated attention, a norm, the model's own output matrix. H is the hidden state after the last norm; the H of a further
// guess is what the head itself gave. Place s of a page holds the pair (t_s, H_{s-1}): it depends on tokens up to s only, so a page stays a function
// of its tokens. Before the first token H is zero.
// Rules that must stay true: the model's own results and states are the same with and without a head; x_ is used up only when they are out.
#include <algorithm>
#include <cassert>

#include "native/kv/layer_stream.h"
#include "native/model/forward.h"

namespace codicil::model {

namespace {

// A guess is made among the first quarter of the vocabulary, for the output matrix is most of what it costs (a third of the weights of a 0.8B model).
// Merges are numbered by how frequent they were: of 104,994 tokens of 20 contracts 98 % are in the first quarter of 248,320 ids, and 93 % in the first
// 32,768. A token behind them is never guessed, which costs its guess and nothing else (Zhao et al. 2025, "FR-Spec").
constexpr std::int64_t kGuessedShare = 4, kLeastGuessed = 32768;

}  // namespace

std::int64_t Forward::guessed_ids() const { return std::min(config_.vocab, std::max(config_.vocab / kGuessedShare, kLeastGuessed)); }

// joined_[row] = [norm(embedding of token); norm(hidden)]. `hidden` may lie in the row's own second half.
void Forward::join_inputs(std::int64_t row, Token token, const float* hidden) {
  const std::int64_t e = config_.embedding;
  const HeadWeights& w = weights(config_.layers).head;
  float* out = joined_.as<float>() + row * 2 * e;
  weights_.embed(ops_, token, out);
  ops_.rms_norm(out, w.token_norm, config_.rms_eps, out, e);
  ops_.rms_norm(hidden, w.hidden_norm, config_.rms_eps, out + e, e);
}

// Keys and values of the head for every token of the batch, and the hidden states that the next ones are joined with.
void Forward::read_head(const Batch& batch) {
  const auto tokens = static_cast<std::int64_t>(batch.tokens.size());
  const std::int64_t e = config_.embedding, layer = config_.layers;
  const auto put_hidden = [&](std::int64_t t, float* out) { ops_.rms_norm(x_.as<float>() + t * e, weights_.output_norm(), config_.rms_eps, out, e); };
  for (const Run& run : batch.runs) {
    const auto join = [&](std::int64_t i) {
      const std::int64_t t = run.first_token + i;
      float* own = joined_.as<float>() + t * 2 * e + e;
      if (i > 0) put_hidden(t - 1, own);
      join_inputs(t, batch.tokens[static_cast<std::size_t>(t)], i > 0 ? own : last_hidden(run.recurrent));
    };
    pool_.parallel_for(0, run.count, 1, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t i = begin; i < end; ++i) join(i);
    });
    const std::int64_t end = run.first_token + run.count;
    put_hidden(end - run.drafted - 1, last_hidden(run.recurrent));
    for (std::int64_t i = 0; i < run.drafted; ++i)
      put_hidden(end - run.drafted + i, run.draft_log + draft_log_floats(run.drafted) - (run.drafted - i) * e);
  }
  // Keys of the head are only written here, but a walk over pages on SSD brings those of every layer, and they are taken in order.
  for (std::int64_t span = 0; batch.stream != nullptr && span < batch.stream->spans(); ++span) {
    batch.stream->acquire(static_cast<int>(place_[static_cast<std::size_t>(layer)]), span);
    batch.stream->release();
  }
  const auto write_keys = [&](const Lane& part) {
    part.multiply({{weights(layer).head.join, part.x}}, joined_.as<float>() + part.first * 2 * e, 2 * e);
    point_rows(layer, part.first, part.first + part.tokens);
    qwen35_keys(config_, weights(layer), part);
  };
  if (tokens < least_tile_tokens()) return write_keys(lane(&pool_, 0, tokens, 0, Mixer::attention));
  const std::int64_t tile = std::min(tile_rows_, (tokens + pool_.threads() - 1) / pool_.threads());
  pool_.parallel_for_stealing(0, tokens, tile, [&](std::int64_t begin, std::int64_t end, int thread) {
    write_keys(lane(nullptr, begin, end - begin, thread, Mixer::attention));
  });
}

Status Forward::guess(const Run& at, Token token, std::int64_t count, std::vector<Token>& guesses, float* logits_row) {
  assert(config_.mtp_layers > 0);
  const std::int64_t layer = config_.layers;
  const float* norm = weights(layer).head.output_norm != nullptr ? weights(layer).head.output_norm : weights_.output_norm();
  const float* hidden = last_hidden(at.recurrent);
  Matrix output = weights_.output();
  output.weights.rows = guessed_ids();
  Batch step;
  step.tokens = {token};
  step.runs = {at};
  step.runs[0].first_token = 0;
  step.runs[0].count = 1;
  guesses.clear();
  for (std::int64_t n = 0; n < count; ++n) {
    locate(step);
    plan_units(step);
    join_inputs(0, step.tokens[0], hidden);
    const Lane one = lane(&pool_, 0, 1, 0, Mixer::attention);
    one.multiply({{weights(layer).head.join, one.x}}, joined_.as<float>(), 2 * config_.embedding);
    point_rows(layer, 0, 1);
    code(layer).before_mixer(config_, weights(layer), one);
    attend(step, layer);
    code(layer).after_mixer(config_, weights(layer), one);
    if (config_.experts.count > 0) {
      if (Status status = run_experts(1, layer); !status.ok()) return status;
      add_experts(config_, one);
    }
    ops_.rms_norm(one.x, norm, config_.rms_eps, guess_hidden_.as<float>(), config_.embedding);
    hidden = guess_hidden_.as<float>();
    one.multiply({{output, logits_row}}, hidden, config_.embedding);
    step.tokens[0] = static_cast<Token>(ops_.argmax(logits_row, output.rows()));
    step.runs[0].first_position += 1;
    guesses.push_back(step.tokens[0]);
  }
  return {};
}

}  // namespace codicil::model
