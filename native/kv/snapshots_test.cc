// Tests of the snapshot store in memory: the deepest prefix is found, never a stranger's, and the budget holds. On disk: disk_store_test.cc.
#include "native/kv/snapshots.h"

#include <vector>

#include "native/base/test.h"
#include "native/kv/page_store.h"

using namespace codicil::kv;

namespace {

constexpr PageShape kPage{2, 1, 8, Format::f16, 1};
const std::string kNobody;

std::vector<Token> ramp(std::size_t n, Token start = 0) {
  std::vector<Token> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = start + static_cast<Token>(i);
  return out;
}

struct World {
  explicit World(std::uint64_t budget, std::uint64_t state_floats = 1)
      : pages(std::move(PageStore::open(kPage, 16 * kPage.page_bytes())).value()), snapshots(*pages, {kPage, state_floats, 1}, budget) {}
  void put(std::span<const Token> tokens, std::span<const float> state, std::span<const float> hidden = {}) {
    const std::vector<std::byte> page(kPage.page_bytes(), std::byte{7});
    snapshots.put(tokens, state, hidden, page.data(), &kNobody);
  }
  std::shared_ptr<const Snapshot> find(std::span<const Token> tokens, std::int64_t limit, std::int64_t above = 0) {
    return snapshots.find(tokens, above, limit, kNobody);
  }
  std::unique_ptr<PageStore> pages;
  SnapshotStore snapshots;
};

}  // namespace

CODICIL_TEST(finds_the_deepest_snapshot_of_a_prefix) {
  World world(1 << 20);
  const std::vector<Token> tokens = ramp(2000);
  const float hidden[] = {7};
  for (const std::size_t at : {100u, 256u, 700u, 1500u}) {
    const float state[] = {static_cast<float>(at)};
    world.put(std::span(tokens).first(at), state, hidden);
  }
  REQUIRE(world.find(tokens, 2000) != nullptr);
  CHECK_EQ(world.find(tokens, 2000)->position, 1500);
  CHECK_EQ(world.find(tokens, 1499)->position, 700);
  CHECK_EQ(world.find(tokens, 256)->position, 256);
  CHECK_EQ(world.find(tokens, 255)->position, 100);
  CHECK(world.find(tokens, 99) == nullptr);
  CHECK(world.find(tokens, 1499, 700) == nullptr);
  CHECK_EQ(world.find(tokens, 700)->state(world.snapshots.shape())[0], 700.0f);
  CHECK_EQ(world.find(tokens, 700)->hidden(world.snapshots.shape())[0], 7.0f);
}

CODICIL_TEST(never_gives_the_state_of_other_tokens) {
  World world(1 << 20);
  std::vector<Token> tokens = ramp(700);
  const float state[] = {1};
  world.put(tokens, state);
  std::vector<Token> other = tokens;
  other[690] += 1;  // behind the last full page
  CHECK(world.find(other, 700) == nullptr);
  other = tokens;
  other[3] += 1;
  CHECK(world.find(other, 700) == nullptr);
  CHECK(world.find(tokens, 700) != nullptr);
}

CODICIL_TEST(gives_back_the_rows_behind_the_last_page_in_every_format) {
  for (const Format format : kFormats) {
    const PageShape shape{3, 2, 64, format, 5};
    std::vector<std::byte> page(shape.page_bytes()), again(shape.page_bytes());
    for (std::size_t i = 0; i < page.size(); ++i) page[i] = static_cast<std::byte>(i * 31 + i / 251);
    for (const std::size_t tokens : {1u, 7u, 255u}) {
      std::vector<std::byte> rows(rows_bytes(shape, tokens));
      pack_rows(shape, page.data(), tokens, rows.data());
      std::fill(again.begin(), again.end(), std::byte{0});
      unpack_rows(shape, rows.data(), tokens, again.data());
      std::vector<std::byte> twice(rows.size());
      pack_rows(shape, again.data(), tokens, twice.data());
      CHECK(rows == twice);
      // And nothing of the tokens behind: other bytes there make no other snapshot.
      std::vector<std::byte> other = page;
      for (std::size_t t = tokens; t < kPageTokens; ++t)  // of the first layer and head: all keys of a token, 16 numbers apart
        for (std::size_t i = 0; i < (format == Format::f16 ? 64u : 0u); ++i)
          other[t / kKeyGroup * kKeyGroup * shape.key_bytes() + (i * kKeyGroup + t % kKeyGroup) * 2] ^= std::byte{1};
      pack_rows(shape, other.data(), tokens, twice.data());
      CHECK(rows == twice);
      // The last row of the last head is where a page has it.
      const std::size_t at = shape.layer_bytes() + kPageTokens * (2 * shape.key_bytes() + shape.value_bytes()) + (tokens - 1) * shape.value_bytes();
      CHECK(std::equal(page.begin() + static_cast<std::ptrdiff_t>(at), page.begin() + static_cast<std::ptrdiff_t>(at + shape.value_bytes()),
                       again.begin() + static_cast<std::ptrdiff_t>(at)));
    }
  }
}

CODICIL_TEST(replaces_an_equal_one_and_drops_what_was_unused_longest) {
  World world(3 * 4300, 800);  // each fills one block of 4,096 bytes
  const std::vector<float> state(800, 1.0f);
  const auto key = [](Token n) { return std::vector<Token>{n}; };
  for (const Token n : {1, 2, 3}) world.put(key(n), state);
  world.put(key(1), state);
  CHECK_EQ(world.snapshots.count(), 3u);
  CHECK(world.find(key(2), 1) != nullptr);  // used: 3 is now the oldest
  world.put(key(4), state);
  CHECK_EQ(world.snapshots.count(), 3u);
  CHECK(world.find(key(3), 1) == nullptr);
  CHECK(world.find(key(2), 1) != nullptr);
  CHECK(world.snapshots.bytes() <= 3 * 4300);
  World small(4000, 800);
  small.put(key(5), state);
  CHECK(small.find(key(5), 1) == nullptr);
}
