// The fit on made-up machines: what it learnt must predict steps that it never saw, and never promise time that is not there.
#include "native/engine/step_cost.h"

#include <vector>

#include "native/base/test.h"

namespace codicil {
namespace {

struct FakeMachine {
  double fixed, token, pair;
  double seconds(const StepWork& w) const { return fixed + token * static_cast<double>(w.tokens) + pair * w.pairs; }
};

StepWork work(std::int64_t position, std::int64_t count) {
  StepWork out;
  out.add(position, count);
  return out;
}

}  // namespace

CODICIL_TEST(nothing_measured_promises_everything) {
  const StepCost cost;
  CHECK_EQ(cost.affordable({}, 0.1, 60'000, 512), 512);
  CHECK(!cost.known());
}

CODICIL_TEST(a_long_read_is_cut_to_its_budget_at_every_depth) {
  for (const FakeMachine& machine : {FakeMachine{0.004, 0.0004, 4e-8}, {0.2, 0.004, 5e-7}, {0.0, 0.001, 0.0}}) {
    StepCost cost;
    std::int64_t position = 0;
    double longest = 0;
    int steps = 0;
    for (; position < 100'000 && steps < 20'000; ++steps) {
      const std::int64_t count = std::max<std::int64_t>(cost.affordable({}, 0.25, position, 512), 8);
      const double seconds = machine.seconds(work(position, count));
      if (steps > 3 && count > 8) longest = std::max(longest, seconds);
      cost.measured(work(position, count), seconds);
      position += count;
    }
    CHECK(position >= 100'000);
    CHECK(longest < 0.25 * 1.1);
    const StepWork deep = work(100'000, 64);
    CHECK_NEAR(cost.seconds(deep), machine.seconds(deep), 0.15 * machine.seconds(deep));
  }
}

CODICIL_TEST(a_machine_that_becomes_slower_is_noticed) {
  StepCost cost;
  for (int i = 0; i < 200; ++i) cost.measured(work(0, 100 + i), 0.001 * (100 + i));
  for (int i = 0; i < 60; ++i) cost.measured(work(0, 100 + i), 0.003 * (100 + i));
  CHECK_NEAR(cost.seconds(work(0, 100)), 0.3, 0.06);
}

CODICIL_TEST(odd_measurements_never_make_work_look_cheaper_than_less_work) {
  StepCost cost;
  for (int i = 1; i < 50; ++i) cost.measured(work(i * 100, i), 1.0 / i);  // more work, less time
  for (const std::int64_t count : {1, 10, 100, 1000}) CHECK(cost.seconds(work(0, count)) <= cost.seconds(work(500, count + 1)));
  cost.measured({}, 1);
  cost.measured(work(0, 5), 0);
  CHECK(cost.affordable(work(0, 100), 0.0, 0, 512) == 0);
}

CODICIL_TEST(a_row_is_cheap_where_weights_are_all_and_dear_where_arithmetic_is) {
  StepCost memory, arithmetic;
  for (int i = 1; i < 40; ++i) {
    memory.measured(work(10, i % 8 + 1), 0.020 + 0.0001 * (i % 8 + 1));
    arithmetic.measured(work(10, i % 8 + 1), 0.010 * (i % 8 + 1));
  }
  CHECK(memory.row_share(1) < 0.1);
  CHECK(arithmetic.row_share(1) > 0.9);
}

}  // namespace codicil
