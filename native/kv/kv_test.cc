// KV pages: sharing by prefix, copy on write after a fork, eviction that never touches a pinned page, names equal exactly when prefixes are.
//
// Every test fills pages with bytes that depend on the tokens they stand for, so that a page in the wrong place is seen.
#include "native/kv/kv.h"

#include <cstring>

#include "native/base/test.h"
#include "native/kv/page_store.h"

namespace codicil::kv {
namespace {

constexpr PageShape kShape{2, 1, 8, Format::f16, 42};

std::vector<Token> tokens_of(std::int64_t count, int seed) {
  std::vector<Token> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<Token>(i * 7 + seed));
  return out;
}

std::unique_ptr<PageStore> store_of(std::uint64_t pages) { return std::move(PageStore::open(kShape, pages * kShape.page_bytes())).value(); }

// Writes a value that depends on every position and layer, as a forward pass would.
void extend(PageTable& table, std::span<const Token> added) {
  REQUIRE_OK(table.reserve(static_cast<std::int64_t>(added.size())));
  for (std::size_t i = 0; i < added.size(); ++i) {
    const std::int64_t position = table.tokens() + static_cast<std::int64_t>(i);
    Pin pin = table.pin(position / kPageTokens);
    for (int plane = 0; plane < 4; ++plane) {  // k and v of two layers
      auto* row = reinterpret_cast<std::uint16_t*>(pin.writable_data()) + (plane * kPageTokens + position % kPageTokens) * 8;
      for (int d = 0; d < 8; ++d) row[d] = static_cast<std::uint16_t>(added[i] * 4 + plane);
    }
  }
  table.commit(added);
}

bool holds(PageTable& table, std::span<const Token> tokens) {
  if (table.tokens() != static_cast<std::int64_t>(tokens.size())) return false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Pin pin = table.pin(static_cast<std::int64_t>(i) / kPageTokens);
    for (int plane = 0; plane < 4; ++plane) {
      const auto* row = reinterpret_cast<const std::uint16_t*>(pin.data()) + (plane * kPageTokens + static_cast<std::int64_t>(i) % kPageTokens) * 8;
      for (int d = 0; d < 8; ++d) {
        if (row[d] != static_cast<std::uint16_t>(tokens[i] * 4 + plane)) return false;
      }
    }
  }
  return true;
}

}  // namespace

CODICIL_TEST(names_are_equal_exactly_when_prefixes_are) {
  const auto a = tokens_of(256, 1), b = tokens_of(256, 2);
  const PageName first = first_name(42);
  CHECK(next_name(first, a) == next_name(first, a));
  CHECK(next_name(first, a) != next_name(first, b));
  CHECK(next_name(first, a) != next_name(first_name(43), a));
  CHECK(next_name(next_name(first, a), b) != next_name(next_name(first, b), b));
  auto changed = a;
  std::vector<PageName> seen{next_name(first, a)};
  for (std::size_t i = 0; i < changed.size(); ++i) {  // every place counts, also with its neighbour swapped
    changed = a;
    changed[i] += 1;
    seen.push_back(next_name(first, changed));
    changed = a;
    std::swap(changed[i], changed[(i + 1) % 256]);
    seen.push_back(next_name(first, changed));
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(!(seen[i] == seen[j]));
  }
}

CODICIL_TEST(a_second_session_shares_full_pages) {
  const auto store = store_of(8);
  const auto tokens = tokens_of(600, 1);
  const auto a = PageTable::create(*store), b = PageTable::create(*store);
  extend(*a, tokens);
  CHECK_EQ(b->restore(tokens), 512);
  CHECK_EQ(store->stats().hits, 2);
  CHECK_EQ(store->stats().pages_by_tier[1], 3);
  extend(*b, std::span(tokens).subspan(512));
  CHECK(holds(*b, tokens));
  auto other = tokens;
  other[255] = 7;
  const auto c = PageTable::create(*store);
  CHECK_EQ(c->restore(other), 0);
}

CODICIL_TEST(a_table_keeps_the_part_of_its_own_page_that_still_fits) {
  const auto store = store_of(8);
  const auto window = tokens_of(300, 1);
  auto first = window, second = window;
  for (int i = 0; i < 300; ++i) first.push_back(5000 + i);  // fills and names the second page
  for (int i = 0; i < 10; ++i) second.push_back(9000 + i);
  const auto table = PageTable::create(*store);
  extend(*table, first);
  CHECK_EQ(table->restore(second), 300);
  extend(*table, std::span(second).subspan(300));  // copies the named page before writing
  CHECK(holds(*table, second));
  const auto again = PageTable::create(*store);
  CHECK_EQ(again->restore(first), 512);
  CHECK(holds(*again, std::span(first).first(512)));
}

CODICIL_TEST(a_fork_and_its_original_write_to_pages_of_their_own) {
  const auto store = store_of(8);
  const auto tokens = tokens_of(300, 1);
  const auto a = PageTable::create(*store);
  extend(*a, tokens);
  const auto b = a->fork();
  CHECK_EQ(store->stats().pages_by_tier[1], 2);
  auto longer = tokens, other = tokens;
  longer.push_back(1);
  other.push_back(2);
  extend(*b, std::span(other).subspan(300));
  extend(*a, std::span(longer).subspan(300));
  CHECK(holds(*a, longer));
  CHECK(holds(*b, other));
  CHECK_EQ(store->stats().pages_by_tier[1], 3);
}

CODICIL_TEST(a_fork_copies_every_row_of_its_last_page_in_every_format) {
  for (const Format format : kFormats) {
    const PageShape shape{3, 2, 96, format, 42};
    const std::size_t rows_bytes = 2 * kPageTokens * (shape.key_bytes() + shape.value_bytes());
    CHECK_EQ(shape.layer_bytes() % PageShape::kLayerAlign, 0u);
    CHECK(shape.layer_bytes() >= rows_bytes && shape.layer_bytes() - rows_bytes < PageShape::kLayerAlign);
    CHECK_EQ(shape.page_bytes(), 3 * shape.layer_bytes());
    CHECK(!shape.is_rotated());
    const auto store = std::move(PageStore::open(shape, 4 * shape.page_bytes())).value();
    const auto a = PageTable::create(*store);
    REQUIRE_OK(a->reserve(100));
    {
      Pin pin = a->pin(0);
      for (std::size_t i = 0; i < shape.page_bytes(); ++i) pin.writable_data()[i] = static_cast<std::byte>(i * 7 % 251);
    }
    a->commit(tokens_of(100, 1));
    const auto b = a->fork();
    REQUIRE_OK(b->reserve(1));
    const Pin from = a->pin(0), to = b->pin(0);
    CHECK(from.data() != to.data());
    for (int part = 0; part < 6; ++part) {
      std::size_t at = static_cast<std::size_t>(part / 2) * shape.layer_bytes() + (part % 2 == 0 ? 0 : 2 * kPageTokens * shape.key_bytes());
      const std::size_t row = part % 2 == 0 ? shape.key_bytes() : shape.value_bytes();
      for (int head = 0; head < 2; ++head, at += kPageTokens * row)
        CHECK(std::memcmp(from.data() + at, to.data() + at, (part % 2 == 0 ? 112 : 100) * row) == 0);  // keys: whole groups of 16
    }
  }
}

CODICIL_TEST(eviction_takes_the_page_unused_longest_and_never_a_pinned_or_live_one) {
  const auto store = store_of(3);
  const auto a = tokens_of(256, 1), b = tokens_of(256, 2), c = tokens_of(256, 3), d = tokens_of(256, 4);
  for (const auto* tokens : {&a, &b}) extend(*PageTable::create(*store), *tokens);
  const auto live = PageTable::create(*store);
  extend(*live, c);
  Pin pin;
  {
    const auto reader = PageTable::create(*store);
    CHECK_EQ(reader->restore(a), 256);
    pin = reader->pin(0);
  }  // only the pin holds a's page now
  const auto fourth = PageTable::create(*store);
  extend(*fourth, d);  // b goes
  CHECK_EQ(store->stats().evictions, 1);
  CHECK_EQ(PageTable::create(*store)->restore(b), 0);
  CHECK(holds(*live, c));
  const auto fifth = PageTable::create(*store);
  CHECK_STATUS(fifth->reserve(1), Code::does_not_fit, "in use");
  std::uint16_t value = 0;
  std::memcpy(&value, pin.data(), 2);
  CHECK_EQ(value, static_cast<std::uint16_t>(a[0] * 4));
  pin = Pin();
  CHECK_OK(fifth->reserve(1));
  CHECK_EQ(store->stats().evictions, 2);
}

CODICIL_TEST(two_sessions_that_read_the_same_at_once_end_with_one_page) {
  const auto store = store_of(4);
  const auto tokens = tokens_of(256, 1);
  const auto a = PageTable::create(*store), b = PageTable::create(*store);
  extend(*a, tokens);
  extend(*b, tokens);
  CHECK_EQ(store->stats().pages_by_tier[1], 1);
  CHECK(holds(*a, tokens));
  CHECK(holds(*b, tokens));
}

CODICIL_TEST(memory_is_aligned_and_freed_pages_are_used_again) {
  const auto store = store_of(2);
  auto table = PageTable::create(*store);
  REQUIRE_OK(table->reserve(400));
  for (int i = 0; i < 2; ++i) CHECK_EQ(reinterpret_cast<std::uintptr_t>(table->pin(i).data()) % 64, 0u);
  table = PageTable::create(*store);
  CHECK_EQ(store->stats().pages_by_tier[1], 0);
  CHECK_OK(table->reserve(400));
  CHECK_STATUS(PageStore::open(kShape, 10), Code::does_not_fit, "one page");
}

}  // namespace codicil::kv
