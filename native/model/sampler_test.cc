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

}  // namespace codicil::model
