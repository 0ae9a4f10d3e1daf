// Gated DeltaNet over sequences: the causal convolution of queries, keys and values, then one recurrent state per value head.
//
// Owns: the recurrent state of a run, [delta layers][conv inputs, then states], read before the run and written after it.
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

// values[n] *= factor / |values|.
void normalise(float* values, std::int64_t n, double factor) {
  double sum = kLengthEps;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(values[i]) * values[i];
  const auto scale = static_cast<float>(factor / std::sqrt(sum));
  for (std::int64_t i = 0; i < n; ++i) values[i] *= scale;
}

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
  const double scale = 1.0 / std::sqrt(static_cast<double>(d.head_dim));
  for (std::int64_t head = 0; head < d.key_heads; ++head) {
    normalise(out + head * d.head_dim, d.head_dim, scale);
    normalise(out + (d.key_heads + head) * d.head_dim, d.head_dim, 1);
  }
}

// The last inputs of the convolution, for the run's next tokens.
void Forward::keep_inputs(const Run& run, float* before) const {
  const std::int64_t channels = config_.delta.conv_channels(), kept = config_.delta.conv_kernel - 1, fresh = std::min(kept, run.count);
  std::copy(before + fresh * channels, before + kept * channels, before);
  const float* last = q_.as<float>() + (run.first_token + run.count - fresh) * channels;
  std::copy_n(last, fresh * channels, before + (kept - fresh) * channels);
}

void Forward::recur(const Batch& batch, std::int64_t layer) {
  const DeltaShape& d = config_.delta;
  const std::int64_t channels = d.conv_channels(), key_width = d.key_heads * d.head_dim, width = d.value_width();
  const std::int64_t place = place_[static_cast<std::size_t>(layer)] * d.state_floats();
  const float* taps = weights(layer).delta.taps;
  for (const Run& run : batch.runs) {
    pool_.parallel_for_stealing(0, run.count, kConvolveTokens, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t t = begin; t < end; ++t) convolve(run, run.recurrent + place, taps, t);
    });
    keep_inputs(run, run.recurrent + place);
  }
  const auto runs = static_cast<std::int64_t>(batch.runs.size());
  pool_.parallel_for_stealing(0, runs * d.value_heads, 1, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const Run& run = batch.runs[static_cast<std::size_t>(unit / d.value_heads)];
      const std::int64_t head = unit % d.value_heads, key_head = head % d.key_heads;
      const float* row = conv_.as<float>() + run.first_token * channels;
      const float* gates = gates_.as<float>() + run.first_token * 2 * d.value_heads;
      kernels::DeltaArgs args;
      args.state = run.recurrent + place + d.conv_floats() + head * d.head_dim * d.head_dim;
      args.q = row + key_head * d.head_dim;
      args.k = row + key_width + key_head * d.head_dim;
      args.v = row + 2 * key_width + head * d.head_dim;
      args.qkv_stride = channels;
      args.decay = gates + head;
      args.beta = gates + d.value_heads + head;
      args.gate_stride = 2 * d.value_heads;
      args.out = mixed_.as<float>() + run.first_token * width + head * d.head_dim;
      args.out_stride = width;
      args.tokens = run.count;
      args.key_dim = args.value_dim = static_cast<int>(d.head_dim);
      ops_.delta_rule(args);
    }
  });
}

}  // namespace codicil::model
