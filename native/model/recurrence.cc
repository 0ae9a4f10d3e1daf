// Gated DeltaNet over sequences: the causal convolution of queries, keys and values, then one recurrent state per value head.
//
// Owns: the recurrent state of a run, [delta layers][conv inputs, then states], read before the run and written after it. What a head keeps behind
// these is written by mtp.cc.
// Source: Yang et al. 2024, "Gated Delta Networks"; the op is kernels' delta_rule.
// Rule that must stay true: a run cut into two gives the same bits as one, because every token is one step of the same recurrence.

#include <algorithm>
#include <array>
#include <cmath>

#include "native/model/forward.h"

namespace codicil::model {

namespace {

constexpr std::int64_t kMaxTaps = 64;  // read_config refuses more
// Tokens that a thread convolves at a time: each is a few microseconds.
constexpr std::int64_t kConvolveTokens = 16;
// In front of the length, as the published model has it; only a vector of zeros feels it.
constexpr double kLengthEps = 1e-6;

}  // namespace

// conv_ row of one token of a run: convolved, queries and keys of length 1, queries scaled by 1 / sqrt(head_dim).
void Forward::convolve(const Run& run, const float* before, const float* taps, std::int64_t token) {
  const DeltaShape& d = config_.delta;
  const std::int64_t channels = d.conv_channels(), kept = d.conv_kernel - 1;
  std::array<const float*, kMaxTaps> rows;
  for (std::int64_t j = 0; j < d.conv_kernel; ++j) {
    const std::int64_t at = token - kept + j;  // in the run; below 0 it lies in what the run found
    rows[static_cast<std::size_t>(j)] = at < 0 ? before + (kept + at) * channels : q_.as<float>() + (run.first_token + at) * channels;
  }
  float* out = conv_.as<float>() + (run.first_token + token) * channels;
  ops_.conv_silu(taps, rows.data(), static_cast<int>(d.conv_kernel), out, channels);
  // x / sqrt(sum x^2 + eps) is an rms_norm whose weight is 1 / sqrt(n) and whose eps is an n-th.
  const auto eps = static_cast<float>(kLengthEps / static_cast<double>(d.head_dim));
  for (std::int64_t head = 0; head < d.key_heads; ++head) {
    float *query = out + head * d.head_dim, *key = out + (d.key_heads + head) * d.head_dim;
    ops_.rms_norm(query, query_length_.data(), eps, query, d.head_dim);
    ops_.rms_norm(key, key_length_.data(), eps, key, d.head_dim);
  }
}

// The last inputs of the convolution, for the run's next tokens. inputs[count, conv_channels].
void Forward::keep_inputs(const float* inputs, std::int64_t count, float* before) const {
  const std::int64_t channels = config_.delta.conv_channels(), kept = config_.delta.conv_kernel - 1, fresh = std::min(kept, count);
  std::copy(before + fresh * channels, before + kept * channels, before);
  std::copy_n(inputs + (count - fresh) * channels, fresh * channels, before + (kept - fresh) * channels);
}

// One head over convolved rows[tokens, conv_channels] and gates[tokens, 2, value_heads]; state, out and tokens are the caller's.
kernels::DeltaArgs Forward::delta_args(const float* rows, const float* gates, std::int64_t head) const {
  const DeltaShape& d = config_.delta;
  const std::int64_t key_width = d.key_heads * d.head_dim, key_head = head % d.key_heads;
  kernels::DeltaArgs args;
  args.q = rows + key_head * d.head_dim;
  args.k = rows + key_width + key_head * d.head_dim;
  args.v = rows + 2 * key_width + head * d.head_dim;
  args.qkv_stride = d.conv_channels();
  args.decay = gates + head;
  args.beta = gates + d.value_heads + head;
  args.gate_stride = 2 * d.value_heads;
  args.key_dim = args.value_dim = static_cast<int>(d.head_dim);
  return args;
}

// draft_log: [delta layers], each inputs[drafted, conv_channels], convolved[drafted, conv_channels], gates[drafted, 2, value_heads]; then, with a
// head, hidden[drafted, embedding].
std::int64_t Forward::draft_log_floats(std::int64_t drafted) const {
  const DeltaShape& d = config_.delta;
  return drafted * (config_.delta_layers() * 2 * (d.conv_channels() + d.value_heads) + config_.mtp_layers * config_.embedding);
}

void Forward::log_draft(const Run& run, std::int64_t place) const {
  const DeltaShape& d = config_.delta;
  const std::int64_t channels = d.conv_channels(), first = run.first_token + run.count - run.drafted;
  float* log = run.draft_log + place * run.drafted * 2 * (channels + d.value_heads);
  log = std::copy_n(q_.as<float>() + first * channels, run.drafted * channels, log);
  log = std::copy_n(conv_.as<float>() + first * channels, run.drafted * channels, log);
  std::copy_n(gates_.as<float>() + first * 2 * d.value_heads, run.drafted * 2 * d.value_heads, log);
}

void Forward::take_over(const float* draft_log, std::int64_t drafted, std::int64_t accepted, float* recurrent) {
  if (accepted == 0) return;
  const DeltaShape& d = config_.delta;
  const std::int64_t channels = d.conv_channels(), layers = config_.delta_layers();
  const auto log_of = [&](std::int64_t layer) { return draft_log + layer * drafted * 2 * (channels + d.value_heads); };
  for (std::int64_t layer = 0; layer < layers; ++layer) keep_inputs(log_of(layer), accepted, recurrent + layer * d.state_floats());
  if (config_.mtp_layers > 0) std::copy_n(log_of(layers) + (accepted - 1) * config_.embedding, config_.embedding, last_hidden(recurrent));
  pool_.parallel_for_stealing(0, layers * d.value_heads, 1, [&](std::int64_t begin, std::int64_t end, int thread) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t layer = unit / d.value_heads, head = unit % d.value_heads;
      const float* rows = log_of(layer) + drafted * channels;
      float* state = recurrent + layer * d.state_floats() + d.conv_floats() + head * d.head_dim * d.head_dim;
      for (std::int64_t t = 0; t < accepted; ++t) {
        kernels::DeltaArgs args = delta_args(rows + t * channels, rows + drafted * channels + t * 2 * d.value_heads, head);
        args.state = state;
        args.out = draft_scratch_[static_cast<std::size_t>(thread)].as<float>() + d.head_dim * d.head_dim;  // was used already
        args.out_stride = 0;
        args.tokens = 1;
        ops_.delta_rule(args);
      }
    }
  });
}

void Forward::recur(const Batch& batch, std::int64_t layer) {
  const DeltaShape& d = config_.delta;
  const std::int64_t channels = d.conv_channels(), width = d.value_width(), state = d.head_dim * d.head_dim;
  const std::int64_t index = place_[static_cast<std::size_t>(layer)], place = index * d.state_floats();
  const float* taps = weights(layer).delta.taps;
  for (const Run& run : batch.runs) {
    pool_.parallel_for_stealing(0, run.count, kConvolveTokens, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t t = begin; t < end; ++t) convolve(run, run.recurrent + place, taps, t);
    });
    keep_inputs(q_.as<float>() + run.first_token * channels, run.count - run.drafted, run.recurrent + place);
    if (run.drafted > 0) log_draft(run, index);
  }
  const auto runs = static_cast<std::int64_t>(batch.runs.size());
  pool_.parallel_for_stealing(0, runs * d.value_heads, 1, [&](std::int64_t begin, std::int64_t end, int thread) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const Run& run = batch.runs[static_cast<std::size_t>(unit / d.value_heads)];
      const std::int64_t head = unit % d.value_heads, sure = run.count - run.drafted;
      const auto args_from = [&](std::int64_t token) {
        kernels::DeltaArgs args = delta_args(conv_.as<float>() + token * channels, gates_.as<float>() + token * 2 * d.value_heads, head);
        args.out = mixed_.as<float>() + token * width + head * d.head_dim;
        args.out_stride = width;
        return args;
      };
      kernels::DeltaArgs args = args_from(run.first_token);
      args.state = run.recurrent + place + d.conv_floats() + head * state;
      args.tokens = sure;
      ops_.delta_rule(args);
      if (run.drafted == 0) continue;
      kernels::DeltaArgs guesses = args_from(run.first_token + sure);
      guesses.state = draft_scratch_[static_cast<std::size_t>(thread)].as<float>();
      std::copy_n(args.state, state, guesses.state);
      guesses.tokens = run.drafted;
      ops_.delta_rule(guesses);
    }
  });
}

}  // namespace codicil::model
