// The one implementation of PageStore in this build: a RAM tier with a budget, a prefix index and an LRU list, and behind it the disk.
//
// Owns: page memory (64-byte aligned, pooled: a freed page's bytes are used by the next), reference counts, the index from
// names to pages, the choice of a victim. Private to native/kv; callers see kv.h.
// Threads: one mutex; every method takes it. Page contents are not guarded by it: a page is written only by the one table that
// holds it while it has no name, and read through pins.
// Rules that must stay true: `tables + pins == 0` and a name <=> the page stands in the LRU list; only such pages are evicted;
// a page found by its name also has equal tokens (compared, so a hash collision can not lend a stranger's keys).
#pragma once

#include <array>
#include <list>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "native/kv/disk_store.h"
#include "native/kv/kv.h"

namespace codicil::kv {

struct Page {
  std::byte* data = nullptr;  // [page_bytes]
  int tables = 0;             // page tables that hold it
  int pins = 0;
  bool named = false;    // full and immutable
  bool indexed = false;  // found by restore(); a twin of an indexed page is named but not indexed
  PageName name;
  std::array<Token, kPageTokens> tokens{};  // valid when named
  std::list<Page*>::iterator lru{};         // valid when indexed and tables + pins == 0
};

PageName first_name(std::uint64_t model_fingerprint);
PageName next_name(const PageName& previous, std::span<const Token> tokens);  // tokens: kPageTokens of them

class RamStore final : public PageStore {
 public:
  RamStore(const PageShape& shape, std::uint64_t budget_bytes, std::unique_ptr<DiskStore> disk);
  ~RamStore() override;
  const PageShape& shape() const override { return shape_; }
  StoreStats stats() const override;
  void flush() override;
  std::uint64_t forget(std::span<const Token> prefix) override;

  // A fresh unnamed page held by one table.
  Result<Page*> take();
  // The page of that name and those tokens, from the index or from disk, held by one table more; null when there is none.
  Page* find_and_take(const PageName& name, const PageName& previous, std::span<const Token> tokens);
  void add_table(Page* page);
  void drop_table(Page* page);
  void add_pin(Page* page);
  void drop_pin(Page* page);
  // True when the page must not be written: it has a name, or another table holds it too.
  bool is_shared(const Page* page) const;
  // Names a full page and puts it in the index. Returns the page that the table should hold from now on: an equal page that
  // was indexed already (so that twins do not use memory twice), else `page` itself.
  Page* name_page(Page* page, const PageName& name, const PageName& previous, std::span<const Token> tokens);

 private:
  struct NameHash {
    std::size_t operator()(const PageName& name) const { return static_cast<std::size_t>(name.low); }
  };
  Page* find_in_index(const PageName& name, std::span<const Token> tokens);
  Page* set_name(Page* page, const PageName& name, std::span<const Token> tokens);
  void keep(Page* page, const PageName& previous);
  void settle(Page* page);  // after a count fell: to the LRU list, to the pool, or nothing
  bool evict_one();
  Page* allocate();

  const PageShape shape_;
  const std::uint64_t budget_pages_;
  mutable std::mutex mutex_;
  std::unordered_map<PageName, Page*, NameHash> index_;
  std::list<Page*> lru_;         // front: unused longest
  std::vector<Page*> pool_;      // no table, no pin, no name; memory kept
  std::uint64_t allocated_ = 0;  // pages with memory, in use or pooled
  StoreStats counters_;
  std::unique_ptr<DiskStore> disk_;  // null: nothing is kept
};

}  // namespace codicil::kv
