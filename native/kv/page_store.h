// The one implementation of PageStore in this build: a RAM tier with a budget, a prefix index and an LRU list, and behind it the disk.
//
// Owns: page memory (aligned for unbuffered reads, pooled: a freed page's bytes are used by the next), reference counts, the index from
// names to pages, the choice of a victim, which live pages are on SSD alone. Private to native/kv; callers see kv.h.
// Victims: first pages that no session holds, the one unused longest; then live ones that are on disk already, those of sessions that rest
// before those of sessions at work, and of these the hindmost: a step walks its pages from the first to the last, so the least recently used
// would always be the one needed next, while a fixed set in front saves its reads in every step.
// Threads: one mutex; every method takes it. Page contents are not guarded by it: a page is written only by the one table that
// holds it while it has no name, and read through pins.
// Rules that must stay true: a page in the LRU list has a name, memory, no table and no pin; only such pages are evicted;
// a page without memory has a file that the disk store holds for it, and its memory never leaves it while a pin is open;
// a page found by its name also has equal tokens (compared, so a hash collision can not lend a stranger's keys).
#pragma once

#include <array>
#include <condition_variable>
#include <list>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "native/kv/disk_store.h"
#include "native/kv/kv.h"
#include "native/kv/layer_stream.h"
#include "native/kv/page_reader.h"

namespace codicil::kv {

struct Page {
  std::byte* data = nullptr;  // [page_bytes]; null: on SSD only
  int tables = 0;             // page tables that hold it
  int pins = 0;
  bool named = false;    // full and immutable
  bool indexed = false;  // found by restore(); a twin of an indexed page is named but not indexed
  bool damaged = false;  // its file could not be read whole: nobody goes on with it
  PageName name, previous;
  std::int64_t index = 0;                   // its place in the sequence
  std::uint64_t used = 0;                   // RamStore::clock_ of the last pin
  std::vector<std::uint32_t> layer_crc;     // [layers] of its file, when data is null
  std::array<Token, kPageTokens> tokens{};  // valid when named
  std::list<Page*>::iterator lru{};         // valid when in_lru
  bool in_lru = false;
};

PageName first_name(std::uint64_t model_fingerprint);
PageName next_name(const PageName& previous, std::span<const Token> tokens);  // tokens: kPageTokens of them
// Of a snapshot `rest` tokens (fewer than kPageTokens) behind a page; never that of a page.
PageName snapshot_name(const PageName& previous, std::span<const Token> rest);

class RamStore final : public PageStore {
 public:
  RamStore(const PageShape& shape, std::uint64_t budget_bytes, std::unique_ptr<DiskStore> disk, std::shared_ptr<const std::atomic<bool>> stop);
  ~RamStore() override;
  const PageShape& shape() const override { return shape_; }
  StoreStats stats() const override;
  void flush() override;
  Result<Forgotten> forget_owner(const std::string& owner) override;
  std::int64_t known(std::span<const Token> prefix, bool with_state) const override;
  DiskStore* disk() { return disk_.get(); }  // null: nothing is kept
  Walk walk(std::span<const std::span<const Pin>> runs) override;

  // A fresh unnamed page held by one table. Waits for the disk where that gives room.
  Result<Page*> take();
  // The longest known run of pages for these tokens, the first of which is page `index` after `previous`: from the index or from disk, each
  // held by one table more. What RAM has no room for stays on SSD.
  std::vector<Page*> find_and_take(std::int64_t index, const PageName& previous, std::span<const Token> tokens, const Keeping& keeping);
  // Copies the page into data[page_bytes] wherever it is; false when its file is damaged.
  bool copy_whole(Page* page, std::byte* data);
  void drop_damaged(Page* page);
  void add_table(Page* page);
  void drop_table(Page* page);
  void add_pin(Page* page);
  void drop_pin(Page* page);
  // True when the page must not be written: it has a name, or another table holds it too.
  bool is_shared(const Page* page) const;
  // Names a full page and puts it in the index. Returns the page that the table should hold from now on: an equal page that
  // was indexed already (so that twins do not use memory twice), else `page` itself. `owner`: whose it becomes on disk; null: it need not go there.
  Page* name_page(Page* page, std::int64_t index, const PageName& name, const PageName& previous, std::span<const Token> tokens,
                  const std::string* owner);
  // Queues a named page, held by a table, for the disk, and gives it that owner there.
  void keep(Page* page, const std::string& owner);

 private:
  Page* find_in_index(const PageName& name, std::span<const Token> tokens);
  Page* find_on_disk(const PageName& name, const PageName& previous, std::span<const Token> tokens);
  void load(std::vector<Page*>& found, std::span<Page* const> stored);
  std::size_t read_whole(std::span<Page* const> pages, std::span<char> whole);
  bool keep_unkept();

  // With the mutex held:
  Page* put_in_index(Page* page);
  void leave_lru(Page* page);
  void drop_from_index(const PageName& name);  // what no session holds is cleared at once
  void settle(Page* page);                     // after a count fell: to the LRU list, or gone
  void erase(Page* page);
  std::byte* take_memory();             // within the budget, from an unused page if need be; null: none
  void give_memory(std::byte* memory);  // back to the pool, or to the system when the budget shrank
  std::byte* allocate();
  void evict_one();
  bool drop_live();        // the memory of one live page goes to the pool
  bool start_streaming();  // once: the ring, out of the budget
  std::uint64_t limit_pages() const { return budget_pages_ - (stream_ == nullptr ? 0 : ring_pages_); }

  const PageShape shape_;
  const std::uint64_t budget_pages_, ring_pages_;
  const std::shared_ptr<const std::atomic<bool>> stop_;  // null: never
  mutable std::mutex mutex_;
  std::condition_variable written_;
  std::unordered_map<PageName, Page*, NameHash> index_;
  std::list<Page*> lru_;           // front: unused longest
  std::vector<std::byte*> pool_;   // [page_bytes] each
  std::uint64_t allocated_ = 0;    // pages' worth of memory, in use or pooled
  std::uint64_t clock_ = 0;        // steps
  std::int64_t writing_ = 0;       // pages that wait for the disk
  std::uint64_t live_on_ssd_ = 0;  // pages without memory
  StoreStats counters_;
  std::unique_ptr<LayerStream> stream_;  // null: no live page was ever on SSD alone
  std::unique_ptr<DiskStore> disk_;      // null: nothing is kept
  std::unique_ptr<PageReader> reader_;   // of the disk; its threads end before what they write to
};

}  // namespace codicil::kv
