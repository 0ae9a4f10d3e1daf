// Tests of the snapshot store: the deepest prefix is found, never a stranger's, and the budget holds.
#include "native/kv/snapshots.h"

#include "native/base/test.h"

using namespace codicil::kv;

namespace {

std::vector<Token> ramp(std::size_t n, Token start = 0) {
  std::vector<Token> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = start + static_cast<Token>(i);
  return out;
}

}  // namespace

CODICIL_TEST(finds_the_deepest_snapshot_of_a_prefix) {
  SnapshotStore store(1, 1 << 20);
  const std::vector<Token> tokens = ramp(2000);
  const float hidden[] = {7};
  for (const std::size_t at : {100u, 256u, 700u, 1500u}) {
    const float state[] = {static_cast<float>(at)};
    store.put(std::span(tokens).first(at), state, hidden);
  }
  REQUIRE(store.find(tokens, 2000) != nullptr);
  CHECK_EQ(store.find(tokens, 2000)->position, 1500);
  CHECK_EQ(store.find(tokens, 1499)->position, 700);
  CHECK_EQ(store.find(tokens, 256)->position, 256);
  CHECK_EQ(store.find(tokens, 255)->position, 100);
  CHECK(store.find(tokens, 99) == nullptr);
  CHECK_EQ(store.find(tokens, 700)->state[0], 700.0f);
}

CODICIL_TEST(never_gives_the_state_of_other_tokens) {
  SnapshotStore store(1, 1 << 20);
  std::vector<Token> tokens = ramp(700);
  const float state[] = {1};
  store.put(tokens, state, {});
  std::vector<Token> other = tokens;
  other[690] += 1;  // behind the last full page
  CHECK(store.find(other, 700) == nullptr);
  other = tokens;
  other[3] += 1;
  CHECK(store.find(other, 700) == nullptr);
  CHECK(store.find(tokens, 700) != nullptr);
}

CODICIL_TEST(replaces_an_equal_one_and_drops_what_was_unused_longest) {
  SnapshotStore store(1, 3 * 400 + 100);
  const std::vector<float> state(99, 1.0f);
  const auto key = [](Token n) { return std::vector<Token>{n}; };
  for (const Token n : {1, 2, 3}) store.put(key(n), state, {});
  store.put(key(1), state, {});
  CHECK_EQ(store.count(), 3u);
  CHECK(store.find(key(2), 1) != nullptr);  // used: 3 is now the oldest
  store.put(key(4), state, {});
  CHECK_EQ(store.count(), 3u);
  CHECK(store.find(key(3), 1) == nullptr);
  CHECK(store.find(key(2), 1) != nullptr);
  store.put(key(5), std::vector<float>(5000, 0.0f), {});
  CHECK(store.find(key(5), 1) == nullptr);
  CHECK(store.bytes() <= 3 * 400 + 100);
}
