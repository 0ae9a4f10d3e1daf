// PageTable: the pages of one session in order, restored from the index, copied before a shared one is written.
//
// Owns: the list of pages and the tokens whose keys they hold. Leaves memory, names and counts to RamStore.
// Rule that must stay true: after reserve(count), every page that positions tokens() .. tokens() + count - 1 fall in is
// unshared and unnamed, so that the forward pass may write it.

#include <algorithm>
#include <cassert>
#include <cstring>

#include "native/kv/page_store.h"

namespace codicil::kv {

namespace {

class Table final : public PageTable {
 public:
  explicit Table(RamStore& store) : store_(store) {}
  ~Table() override { drop_pages(0); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  std::int64_t tokens() const override { return static_cast<std::int64_t>(tokens_.size()); }
  std::int64_t page_count() const override { return static_cast<std::int64_t>(pages_.size()); }

  std::int64_t restore(std::span<const Token> prefix) override {
    std::size_t most = std::min(prefix.size(), tokens_.size());
    const auto damaged = std::find_if(pages_.begin(), pages_.end(), [](const Page* page) { return page->damaged; });
    most = std::min(most, static_cast<std::size_t>(damaged - pages_.begin()) * kPageTokens);
    const auto same = static_cast<std::size_t>(
        std::mismatch(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(most), prefix.begin()).first - tokens_.begin());
    // Further than our own tokens agree, whole pages may be known from other sessions.
    std::size_t full = same / kPageTokens;
    const std::size_t own_full = full;
    // They were kept under another wish, or not at all.
    for (std::size_t i = 0; i < own_full; ++i)
      if (const std::string* owner = owner_of_page(i)) store_.keep(pages_[i], *owner);
    const std::vector<Page*> found =
        store_.find_and_take(static_cast<std::int64_t>(full), name_before(full), prefix.subspan(full * kPageTokens), keeping_);
    full += found.size();
    if (full * kPageTokens <= same) {  // nothing longer than what we hold: keep our partial page
      for (Page* page : found) store_.drop_table(page);
      truncate(static_cast<std::int64_t>(same));
      return tokens();
    }
    drop_pages(own_full);
    pages_.insert(pages_.end(), found.begin(), found.end());
    tokens_.assign(prefix.begin(), prefix.begin() + static_cast<std::ptrdiff_t>(full * kPageTokens));
    return tokens();
  }

  void truncate(std::int64_t tokens) override {
    assert(tokens >= 0 && tokens <= this->tokens());
    tokens_.resize(static_cast<std::size_t>(tokens));
    drop_pages(pages_for(tokens_.size()));
  }

  Status reserve(std::int64_t count) override {
    assert(count >= 0);
    const std::size_t used = tokens_.size() % kPageTokens;
    if (count > 0 && used != 0) {
      Page*& last = pages_[tokens_.size() / kPageTokens];
      if (store_.is_shared(last)) {
        Result<Page*> fresh = store_.take();
        if (!fresh.ok()) return fresh.status();
        store_.add_pin(last);
        Status status = copy_tokens(last, *fresh.value(), used);
        store_.drop_pin(last);
        if (!status.ok()) {
          store_.drop_table(fresh.value());
          return status;
        }
        store_.drop_table(last);
        last = fresh.value();
      }
    }
    const std::size_t needed = pages_for(tokens_.size() + static_cast<std::size_t>(count));
    while (pages_.size() < needed) {
      Result<Page*> fresh = store_.take();
      if (!fresh.ok()) {
        drop_pages(pages_for(tokens_.size()));
        return fresh.status();
      }
      pages_.push_back(fresh.value());
    }
    return {};
  }

  void commit(std::span<const Token> added) override {
    assert(pages_for(tokens_.size() + added.size()) <= pages_.size());
    std::size_t full = tokens_.size() / kPageTokens;
    tokens_.insert(tokens_.end(), added.begin(), added.end());
    for (; (full + 1) * kPageTokens <= tokens_.size(); ++full) {
      const auto page_tokens = std::span<const Token>(tokens_).subspan(full * kPageTokens, kPageTokens);
      const PageName previous = name_before(full);
      pages_[full] = store_.name_page(pages_[full], static_cast<std::int64_t>(full), next_name(previous, page_tokens), previous, page_tokens,
                                      owner_of_page(full));
    }
  }

  Pin pin(std::int64_t page_index) override {
    assert(page_index >= 0 && page_index < page_count());
    Page* page = pages_[static_cast<std::size_t>(page_index)];
    store_.add_pin(page);
    return make_pin(store_, page);
  }

  void drop_damaged(std::int64_t page_index) override {
    store_.drop_damaged(pages_[static_cast<std::size_t>(page_index)]);
    truncate(page_index * kPageTokens);
  }

  void set_keeping(Keeping keeping) override { keeping_ = std::move(keeping); }

  std::unique_ptr<PageTable> fork() override {
    auto copy = std::make_unique<Table>(store_);
    copy->tokens_ = tokens_;
    copy->keeping_ = keeping_;
    copy->pages_.assign(pages_.begin(), pages_.begin() + static_cast<std::ptrdiff_t>(pages_for(tokens_.size())));
    for (Page* page : copy->pages_) store_.add_table(page);
    return copy;
  }

 private:
  static std::size_t pages_for(std::size_t tokens) { return static_cast<std::size_t>(pages_of(static_cast<std::int64_t>(tokens))); }

  // Name of the page before page `index`: all pages before it are full, and so have names.
  PageName name_before(std::size_t index) const { return index == 0 ? first_name(store_.shape().model_fingerprint) : pages_[index - 1]->name; }

  // Null: the page stays in memory.
  const std::string* owner_of_page(std::size_t index) const {
    return keeping_.keeps(static_cast<std::int64_t>(index + 1) * kPageTokens) ? &keeping_.owner : nullptr;
  }

  void drop_pages(std::size_t from) {
    for (std::size_t i = from; i < pages_.size(); ++i) store_.drop_table(pages_[i]);
    if (from < pages_.size()) pages_.resize(from);
  }

  // Only the tokens that count: a page of the Reader is 5.6 MiB, and a question usually ends in its first quarter.
  Status copy_tokens(Page* from, Page& to, std::size_t tokens) const {
    if (from->data == nullptr) {
      if (store_.copy_whole(from, to.data)) return {};
      store_.drop_damaged(from);
      return Status(Code::corrupt_file,
                    "expected a page of this session on disk as it was written, found it damaged: ask again, it is computed anew");
    }
    const PageShape& shape = store_.shape();
    for (int part = 0; part < 2 * shape.layers; ++part) {
      std::size_t at = static_cast<std::size_t>(part / 2) * shape.layer_bytes();
      if (part % 2 != 0) at += static_cast<std::size_t>(shape.kv_heads) * kPageTokens * shape.key_bytes();
      const std::size_t row = part % 2 == 0 ? shape.key_bytes() : shape.value_bytes();
      // Keys of 16 tokens lie interleaved.
      const std::size_t rows = part % 2 == 0 ? (tokens + kKeyGroup - 1) / kKeyGroup * kKeyGroup : tokens;
      for (int head = 0; head < shape.kv_heads; ++head, at += kPageTokens * row) std::memcpy(to.data + at, from->data + at, rows * row);
    }
    return {};
  }

  RamStore& store_;
  Keeping keeping_;
  std::vector<Token> tokens_;  // [tokens()]
  std::vector<Page*> pages_;   // at least pages_for(tokens()); more after reserve()
};

}  // namespace

// Pin's private members are open to PageTable itself, not to what derives from it.
Pin PageTable::make_pin(PageStore& store, Page* page) {
  Pin pin;
  pin.store_ = &store;
  pin.page_ = page;
  return pin;
}

std::unique_ptr<PageTable> PageTable::create(PageStore& store) { return std::make_unique<Table>(static_cast<RamStore&>(store)); }

}  // namespace codicil::kv
