// Live pages beyond the budget: where they lie, that a walk gives every layer of every page once and unchanged, who leaves the memory first, and
// that what is damaged is said to be. `node tools/native.mjs test --tsan native/kv` runs it under ThreadSanitizer.
#include "native/kv/layer_stream.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "native/base/test.h"
#include "native/kv/page_store.h"

namespace codicil::kv {
namespace {

namespace fs = std::filesystem;

constexpr PageShape kShape{3, 1, 8, Format::f16, 7};  // three layers of 8 KiB

class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / ("codicil_stream_" + std::to_string(getpid()) + "_" + std::to_string(counter_++))).string()) {}
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  static inline int counter_ = 0;
  std::string path_;
};

std::unique_ptr<PageStore> open_store(const Folder& folder, std::uint64_t ram_pages) {
  return std::move(PageStore::open(kShape, ram_pages * kShape.page_bytes(), {folder.path(), std::uint64_t{1} << 30, 0, 0, {}})).value();
}

std::vector<Token> tokens_of(std::int64_t pages, int seed) {
  std::vector<Token> out;
  for (std::int64_t i = 0; i < pages * kPageTokens; ++i) out.push_back(static_cast<Token>(i * 7 + seed * 1'000'003));
  return out;
}

std::uint32_t word_of(Token first, int layer, std::size_t at) {
  return static_cast<std::uint32_t>(first) * 2654435761u + static_cast<std::uint32_t>(layer) * 97u + static_cast<std::uint32_t>(at);
}

// Fills whole pages with words that depend on page, layer and place. With a store each is on disk before the next, as in life, where the arithmetic
// of a page takes longer than its writing; without, pages leave in whatever order they were written.
void extend(PageTable& table, std::span<const Token> tokens, PageStore* store = nullptr) {
  for (; !tokens.empty(); tokens = tokens.subspan(kPageTokens)) {
    REQUIRE_OK(table.reserve(kPageTokens));
    {
      Pin pin = table.pin(table.tokens() / kPageTokens);
      for (int layer = 0; layer < kShape.layers; ++layer) {
        auto* words = reinterpret_cast<std::uint32_t*>(pin.writable_data() + static_cast<std::size_t>(layer) * kShape.layer_bytes());
        for (std::size_t i = 0; i < kShape.layer_bytes() / 4; ++i) words[i] = word_of(tokens[0], layer, i);
      }
    }
    table.commit(tokens.first(kPageTokens));
    if (store != nullptr) store->flush();
  }
}

bool is_slice(const std::byte* slice, Token first, int layer) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(slice);
  for (std::size_t i = 0; i < kShape.layer_bytes() / 4; ++i)
    if (words[i] != word_of(first, layer, i)) return false;
  return true;
}

struct Walked {
  bool right = true;
  std::vector<std::int64_t> damaged;  // [tables], -1: none
};

// One step over the pages of these tables, as a forward pass makes it.
Walked walk(PageStore& store, std::span<PageTable* const> tables, std::span<const std::vector<Token>> tokens) {
  std::vector<std::vector<Pin>> pins(tables.size());
  std::vector<std::span<const Pin>> runs;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (std::int64_t page = 0; page < tables[t]->page_count(); ++page) pins[t].push_back(tables[t]->pin(page));
    runs.push_back(pins[t]);
  }
  Walked out;
  const kv::Walk stream = store.walk(runs);
  CHECK(stream != nullptr);
  if (stream == nullptr) return {false, std::vector<std::int64_t>(tables.size(), -1)};
  for (int layer = 0; layer < kShape.layers; ++layer) {
    std::vector<std::int64_t> next(tables.size(), 0);
    for (std::int64_t span = 0; span < stream->spans(); ++span) {
      stream->acquire(layer, span);
      for (const LayerStream::Part& part : stream->parts(span)) {
        const auto run = static_cast<std::size_t>(part.run);
        out.right &= part.begin == next[run] && part.end > part.begin;
        next[run] = part.end;
        for (std::int64_t page = part.begin; page < part.end; ++page) {
          const Pin& pin = pins[run][static_cast<std::size_t>(page)];
          const std::byte* slice =
              pin.tier() == Tier::ssd ? stream->slice(part.run, page) : pin.data() + static_cast<std::size_t>(layer) * kShape.layer_bytes();
          out.right &= is_slice(slice, tokens[run][static_cast<std::size_t>(page * kPageTokens)], layer);
        }
      }
      stream->release();
    }
    for (std::size_t t = 0; t < tables.size(); ++t) out.right &= next[t] == tables[t]->page_count();
  }
  stream->end();
  for (std::size_t t = 0; t < tables.size(); ++t) out.damaged.push_back(stream->damaged_page(static_cast<std::int32_t>(t)));
  return out;
}

}  // namespace

CODICIL_TEST(a_walk_gives_every_layer_of_every_page_of_a_session_larger_than_the_budget) {
  const Folder folder;
  const auto store = open_store(folder, 8);
  const auto tokens = tokens_of(40, 1);
  const auto table = PageTable::create(*store);
  extend(*table, tokens, store.get());
  PageTable* const tables[] = {table.get()};
  for (int round = 0; round < 3; ++round) {
    const Walked walked = walk(*store, tables, std::span(&tokens, 1));
    CHECK(walked.right);
    CHECK_EQ(walked.damaged[0], -1);
  }
  const StoreStats stats = store->stats();
  CHECK(stats.live_ssd_pages >= 32);
  CHECK(stats.bytes_by_tier[static_cast<std::size_t>(Tier::ram)] + stats.ring_bytes <= 8 * kShape.page_bytes() + PageShape::kLayerAlign);
  CHECK(stats.disk_read_bytes >= 3 * 32 * kShape.page_bytes());
  CHECK_EQ(table->pin(0).tier() == Tier::ram, true);  // the front stays
  CHECK_EQ(table->pin(30).tier() == Tier::ssd, true);
  CHECK(table->pin(30).data() == nullptr);
}

CODICIL_TEST(a_walk_that_is_given_up_anywhere_leaves_nothing_to_the_next) {
  const Folder folder;
  const auto store = open_store(folder, 8);
  const auto tokens = tokens_of(40, 1), others = tokens_of(30, 2);
  const auto table = PageTable::create(*store), other = PageTable::create(*store);
  extend(*table, tokens, store.get());
  extend(*other, others, store.get());
  PageTable* const next[] = {other.get()};
  for (int steps = 0; steps < 24; ++steps) {
    {
      const auto brief = table->fork();  // its pages on SSD go with it
      std::vector<Pin> pins;
      for (std::int64_t page = 0; page < brief->page_count(); ++page) pins.push_back(brief->pin(page));
      const std::span<const Pin> runs[] = {pins};
      const kv::Walk stream = store->walk(runs);
      REQUIRE(stream != nullptr);
      for (int step = 0; step < steps; ++step) {
        stream->acquire(static_cast<int>(step / stream->spans()), step % stream->spans());
        if (step + 1 < steps || steps % 2 == 0) stream->release();
      }
    }
    CHECK(walk(*store, next, std::span(&others, 1)).right);
  }
}

CODICIL_TEST(sequences_that_share_pages_share_their_slices) {
  const Folder folder;
  const auto store = open_store(folder, 12);
  std::vector<std::vector<Token>> tokens = {tokens_of(30, 1), {}, {}, tokens_of(20, 2)};
  const auto a = PageTable::create(*store), d = PageTable::create(*store);
  extend(*a, tokens[0]);
  const auto b = a->fork(), c = a->fork();
  tokens[1] = tokens[2] = tokens[0];
  c->truncate(10 * kPageTokens);
  tokens[2].resize(10 * kPageTokens);
  extend(*d, tokens[3]);
  PageTable* const tables[] = {a.get(), b.get(), c.get(), d.get()};
  const std::uint64_t before = store->stats().disk_read_bytes;
  CHECK(walk(*store, tables, tokens).right);
  CHECK(store->stats().disk_read_bytes - before <= 50 * kShape.page_bytes());  // not 90
}

CODICIL_TEST(pages_of_a_resting_session_leave_the_memory_first) {
  const Folder folder;
  const auto store = open_store(folder, 16);
  const auto tokens = tokens_of(6, 1), others = tokens_of(30, 2);
  const auto resting = PageTable::create(*store), working = PageTable::create(*store);
  extend(*resting, tokens, store.get());
  extend(*working, std::span(others).first(2 * kPageTokens), store.get());
  for (int step = 0; step < 14; ++step) {
    std::vector<Pin> pins;
    for (std::int64_t page = 0; page < working->page_count(); ++page) pins.push_back(working->pin(page));
    const std::span<const Pin> runs[] = {pins};
    if (const kv::Walk stream = store->walk(runs)) {
      for (int layer = 0; layer < kShape.layers; ++layer)
        for (std::int64_t span = 0; span < stream->spans(); ++span) stream->acquire(layer, span), stream->release();
    }
    pins.clear();
    extend(*working, std::span(others).subspan(static_cast<std::size_t>((2 + 2 * step) * kPageTokens), 2 * kPageTokens), store.get());
  }
  for (std::int64_t page = 0; page < 6; ++page) CHECK(resting->pin(page).tier() == Tier::ssd);
  for (std::int64_t page = 0; page < 4; ++page) CHECK(working->pin(page).tier() == Tier::ram);
}

CODICIL_TEST(a_damaged_slice_is_named_and_never_found_again) {
  const Folder folder;
  const auto store = open_store(folder, 8);
  const auto tokens = tokens_of(20, 1);
  const auto table = PageTable::create(*store);
  extend(*table, tokens);
  store->flush();
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
    if (entry.path().extension() == ".page") files.push_back(entry.path());
  CHECK_EQ(files.size(), 20u);
  for (const fs::path& path : files) {  // the last layer only
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(kPageHeaderBytes + 2 * kShape.layer_bytes() + 100));
    file.put('\x5a');
  }
  PageTable* const tables[] = {table.get()};
  const Walked walked = walk(*store, tables, std::span(&tokens, 1));
  CHECK(!walked.right);
  std::int64_t first = 0;
  while (table->pin(first).tier() == Tier::ram) ++first;
  CHECK_EQ(walked.damaged[0], first);
  table->drop_damaged(first);
  CHECK_EQ(table->tokens(), first * kPageTokens);
  CHECK_EQ(table->restore(tokens), first * kPageTokens);
  extend(*table, std::span(tokens).subspan(static_cast<std::size_t>(first * kPageTokens)));
  CHECK_EQ(table->tokens(), 20 * kPageTokens);
}

CODICIL_TEST(sessions_of_several_threads_outgrow_one_budget_together) {
  const Folder folder;
  const auto store = open_store(folder, 16);
  std::vector<std::vector<Token>> tokens;
  std::vector<std::unique_ptr<PageTable>> tables;
  for (int t = 0; t < 3; ++t) {
    tokens.push_back(tokens_of(24, t + 1));
    tables.push_back(PageTable::create(*store));
  }
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t) threads.emplace_back([&, t] { extend(*tables[t], tokens[t]); });
  for (std::thread& thread : threads) thread.join();
  std::vector<PageTable*> all;
  for (const auto& table : tables) all.push_back(table.get());
  CHECK(walk(*store, all, tokens).right);
  // Again from the index and from disk, by several at a time.
  threads.clear();
  std::vector<std::int64_t> found(3);
  for (std::size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      const auto reader = PageTable::create(*store);
      found[t] = reader->restore(tokens[t]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::int64_t tokens_found : found) CHECK_EQ(tokens_found, 24 * kPageTokens);
}

CODICIL_TEST(a_session_that_went_to_ssd_comes_back_after_a_restart_partly_in_memory) {
  const Folder folder;
  const auto tokens = tokens_of(30, 1);
  extend(*PageTable::create(*open_store(folder, 8)), tokens);
  const auto store = open_store(folder, 10);
  const auto table = PageTable::create(*store);
  CHECK_EQ(table->restore(tokens), 30 * kPageTokens);
  CHECK(store->stats().live_ssd_pages >= 20 && store->stats().live_ssd_pages < 30);
  PageTable* const tables[] = {table.get()};
  CHECK(walk(*store, tables, std::span(&tokens, 1)).right);
  table->truncate(29 * kPageTokens + 5);  // begun again on a page that is on SSD
  CHECK_OK(table->reserve(3));
  const auto whole = open_store(folder, 100);
  const auto other = PageTable::create(*whole);
  CHECK_EQ(other->restore(tokens), 30 * kPageTokens);
  CHECK_EQ(whole->stats().live_ssd_pages, 0u);
}

}  // namespace codicil::kv
