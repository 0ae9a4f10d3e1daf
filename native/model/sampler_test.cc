// The sampler: greedy ties, each filter on distributions where the right survivors are known, seeds that repeat, masks that are obeyed.
#include "native/model/sampler.h"

#include <cmath>
#include <set>

#include "native/base/test.h"

namespace codicil::model {
namespace {

const kernels::Ops& ops() { return kernels::reference(); }

std::vector<Token> draws(const SamplerOptions& options, std::span<const float> logits, int count, const Allowed& allowed = {}) {
  Sampler sampler(options);
  std::vector<Token> out;
  for (int i = 0; i < count; ++i) out.push_back(sampler.sample(ops(), logits, {}, allowed));
  return out;
}

const std::vector<float> kLogits = {1.0f, 3.0f, 2.0f, 3.0f, -1.0f, 0.0f};

}  // namespace

CODICIL_TEST(greedy_takes_the_best_and_the_lower_id_on_a_tie) {
  CHECK_EQ(draws({}, kLogits, 1)[0], 1);
  const Token only[] = {4, 0, 5};
  CHECK_EQ(draws({}, kLogits, 1, {false, only, {}})[0], 0);
  const Token forbidden[] = {1};
  CHECK_EQ(draws({}, kLogits, 1, {true, {}, forbidden})[0], 3);
  const auto best = best_of(kLogits, 3);
  CHECK_EQ(best[0].token, 1);
  CHECK_EQ(best[1].token, 3);
  CHECK_EQ(best[2].token, 2);
}

CODICIL_TEST(the_same_seed_draws_the_same_tokens_and_another_does_not) {
  SamplerOptions options;
  options.temperature = 1;
  options.seed = 5;
  const auto a = draws(options, kLogits, 200);
  CHECK(a == draws(options, kLogits, 200));
  options.seed = 6;
  CHECK(a != draws(options, kLogits, 200));
}

CODICIL_TEST(frequencies_follow_the_probabilities) {
  SamplerOptions options;
  options.temperature = 2;
  const int n = 40000;
  std::vector<int> seen(kLogits.size());
  for (const Token token : draws(options, kLogits, n)) seen[static_cast<std::size_t>(token)] += 1;
  double sum = 0;
  for (const float logit : kLogits) sum += std::exp(logit / 2);
  // Four standard deviations of a share are below 0.01 at this n.
  for (std::size_t i = 0; i < kLogits.size(); ++i) CHECK_NEAR(static_cast<double>(seen[i]) / n, std::exp(kLogits[i] / 2) / sum, 0.01);
}

CODICIL_TEST(limits_keep_only_what_they_let_through) {
  SamplerOptions options;
  options.temperature = 5;
  const auto kinds = [&] {
    const auto all = draws(options, kLogits, 3000);
    return std::set<Token>(all.begin(), all.end());
  };
  options.top_k = 3;
  CHECK(kinds() == (std::set<Token>{1, 2, 3}));
  options.top_k = 0;
  options.top_p = 0.5f;  // 3.0 and 3.0 hold 0.37 each
  CHECK(kinds() == (std::set<Token>{1, 3}));
  options.top_p = 1;
  options.min_p = 0.3f;  // e^-1 = 0.37 stays, e^-2 = 0.14 goes
  CHECK(kinds() == (std::set<Token>{1, 2, 3}));
}

CODICIL_TEST(a_penalty_makes_recent_tokens_less_likely) {
  SamplerOptions options;
  options.repetition_penalty = 2;
  Sampler sampler(options);
  const Token history[] = {1};
  CHECK_EQ(sampler.sample(ops(), kLogits, history, {}), 3);
  std::vector<Token> old(65, 0);
  old[0] = 1;  // outside of the window of 64
  CHECK_EQ(sampler.sample(ops(), kLogits, old, {}), 1);
}

CODICIL_TEST(presence_is_taken_off_once_and_after_the_repetition_penalty) {
  SamplerOptions options;
  options.presence_penalty = 0.5f;
  Sampler once(options);
  const Token thrice[] = {1, 1, 1};
  CHECK_EQ(once.sample(ops(), kLogits, thrice, {}), 3);
  const Token both[] = {1, 3};  // 2.5 and 2.5 stay above the 2 of token 2
  CHECK_EQ(once.sample(ops(), kLogits, both, {}), 1);
  options.repetition_penalty = 1.25f;  // 3 / 1.25 - 0.5 = 1.9
  CHECK_EQ(Sampler(options).sample(ops(), kLogits, both, {}), 2);
  options.repetition_penalty = 1;
  options.presence_penalty = -1;  // wanted, not avoided
  const Token two[] = {2, 2};
  CHECK_EQ(Sampler(options).sample(ops(), kLogits, two, {}), 1);  // a tie of 3, the lower id
  options.presence_penalty = -1.01f;
  CHECK_EQ(Sampler(options).sample(ops(), kLogits, two, {}), 2);
}

CODICIL_TEST(a_bitmask_allows_its_tokens_and_nothing_behind_its_words) {
  const std::uint32_t bits[] = {1u << 0 | 1u << 4 | 1u << 5};
  Allowed allowed;
  allowed.masked = true;
  allowed.bits = bits;
  CHECK_EQ(draws({}, kLogits, 1, allowed)[0], 0);
  const Token forbidden[] = {0};
  allowed.forbidden = forbidden;
  CHECK_EQ(draws({}, kLogits, 1, allowed)[0], 5);
  SamplerOptions warm;
  warm.temperature = 3;
  const auto drawn = draws(warm, kLogits, 500, allowed);
  CHECK((std::set<Token>(drawn.begin(), drawn.end()) == std::set<Token>{4, 5}));
  const Token only[] = {3, 4};
  CHECK_EQ(draws({}, kLogits, 1, {false, only, {}, true, bits})[0], 4);
  CHECK_EQ(draws({}, kLogits, 1, {true, {}, {}, true, {}})[0], -1);  // no word: nothing
  const std::uint32_t none[] = {0u}, beyond[] = {0u, 7u};
  CHECK_EQ(draws({}, kLogits, 1, {true, {}, {}, true, none})[0], -1);
  CHECK_EQ(draws(warm, kLogits, 1, {true, {}, {}, true, beyond})[0], -1);  // bits of tokens that the model does not have
  // A vocabulary of several words, with a last one that is half used.
  std::vector<float> logits(77);
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i);
  std::vector<std::uint32_t> wide(3, ~0u);
  CHECK_EQ(draws({}, logits, 1, {true, {}, {}, true, wide})[0], 76);
  wide[2] &= ~(1u << 12);
  CHECK_EQ(draws({}, logits, 1, {true, {}, {}, true, wide})[0], 75);
}

// Every combination of the options: the same seed and logits give the same tokens twice, whatever order the candidates came in before.
CODICIL_TEST(every_combination_of_options_repeats_and_obeys_its_mask) {
  std::vector<float> logits(1000);
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>((i * 7919) % 1000) / 125.0f - static_cast<float>(i % 3);
  std::vector<std::uint32_t> bits(32, 0x5a5a5a5au);
  int combinations = 0;
  for (int code = 0; code < 256; ++code) {
    SamplerOptions options;
    options.seed = static_cast<std::uint64_t>(code);
    if (code & 1) options.temperature = 0.8f;
    if (code & 2) options.top_k = 20;
    if (code & 4) options.top_p = 0.9f;
    if (code & 8) options.min_p = 0.02f;
    if (code & 16) options.repetition_penalty = 1.1f;
    if (code & 32) options.presence_penalty = 0.7f;
    Allowed allowed;
    allowed.masked = (code & 64) != 0;
    allowed.bits = bits;
    const Token forbidden[] = {1, 997};
    if (code & 128) allowed.forbidden = forbidden;
    const auto run = [&] {
      Sampler sampler(options);
      std::vector<Token> out;
      for (int i = 0; i < 12; ++i) out.push_back(sampler.sample(ops(), logits, out, allowed));
      return out;
    };
    const std::vector<Token> first = run();
    CHECK(first == run());
    for (const Token token : first) CHECK(token >= 0 && (!allowed.masked || has_bit(bits, token)) && (!(code & 128) || (token != 1 && token != 997)));
    combinations += 1;
  }
  CHECK_EQ(combinations, 256);
}

}  // namespace codicil::model
