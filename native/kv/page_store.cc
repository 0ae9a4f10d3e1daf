// RamStore and Pin. See page_store.h for the rules.

#include "native/kv/page_store.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace codicil::kv {

namespace {

constexpr std::size_t kAlign = PageShape::kLayerAlign;  // so that any layer can come straight from disk
constexpr std::size_t kHugePage = std::size_t{2} << 20;

void release_bytes(std::byte* data) {
#ifdef _WIN32
  _aligned_free(data);
#else
  std::free(data);
#endif
}

}  // namespace

// --- PageStore ---------------------------------------------------------------------------------------------------------------

Result<std::unique_ptr<PageStore>> PageStore::open(const PageShape& shape, std::uint64_t ram_budget_bytes, const DiskOptions& disk) {
  if (shape.layers <= 0 || shape.kv_heads <= 0 || shape.head_dim <= 0) {
    return Status(Code::invalid_request,
                  "expected a page shape with layers, kv heads and head size above 0, found a zero: give the model's geometry");
  }
  if (shape.layers > kMaxPageLayers) {
    return Status(Code::model_unsupported, "expected at most " + std::to_string(kMaxPageLayers) + " layers of attention, found " +
                                               std::to_string(shape.layers) + ": choose another model");
  }
  if (ram_budget_bytes < shape.page_bytes()) {
    return Status(Code::does_not_fit, "expected a KV budget of at least one page (" + std::to_string(shape.page_bytes()) + " bytes), found " +
                                          std::to_string(ram_budget_bytes) + ": raise the budget");
  }
  std::unique_ptr<DiskStore> kept;
  if (!disk.folder.empty()) {
    Result<std::unique_ptr<DiskStore>> opened = DiskStore::open(disk.folder, {shape, disk.state_floats, disk.hidden_floats}, disk.budget_bytes);
    if (!opened.ok()) return opened.status();
    kept = std::move(opened).value();
  }
  return std::unique_ptr<PageStore>(std::make_unique<RamStore>(shape, ram_budget_bytes, std::move(kept), disk.stop));
}

namespace {

// The ring is a quarter of the budget, up to what hides a disk's pauses: 64 MiB are 30 ms of a fast one.
constexpr std::uint64_t kRingShare = 4;
constexpr std::uint64_t kMostRingBytes = std::uint64_t{64} << 20;
// Where a restored session does not fit, so many pages stay free for what is computed next: they would be read only to be dropped again.
constexpr std::uint64_t kFreeShare = 8;
// Asked for at once while a prefix is loaded: far more than keeps a disk busy, and read in the tenth of a second that a stop may wait.
constexpr std::uint64_t kMostLoadingBytes = std::uint64_t{128} << 20;

std::uint64_t ring_pages(const PageShape& shape, std::uint64_t budget_pages) {
  const std::uint64_t most = std::max<std::uint64_t>(1, kMostRingBytes / shape.page_bytes());
  return std::min(most, (budget_pages + kRingShare - 1) / kRingShare);
}

}  // namespace

std::uint64_t PageStore::least_streaming_bytes(const PageShape& shape, std::int64_t step_tokens) {
  // A step writes its own tokens' pages, of which the first and the last may be begun ones, and one may wait to be copied.
  const std::uint64_t step = static_cast<std::uint64_t>(pages_of(step_tokens)) + 3;
  return step * kRingShare / (kRingShare - 1) * shape.page_bytes() + shape.page_bytes();
}

RamStore::RamStore(const PageShape& shape, std::uint64_t budget_bytes, std::unique_ptr<DiskStore> disk, std::shared_ptr<const std::atomic<bool>> stop)
    : shape_(shape),
      budget_pages_(budget_bytes / shape.page_bytes()),
      ring_pages_(ring_pages(shape, budget_pages_)),
      stop_(std::move(stop)),
      disk_(std::move(disk)),
      reader_(disk_ == nullptr ? nullptr : std::make_unique<PageReader>(shape)) {
  counters_.budget_bytes = budget_bytes;
}

RamStore::~RamStore() {
  disk_.reset();  // what waits to be written is pinned
  // Tables and pins must be gone by now: their pages would otherwise leak, which the sanitizers report.
  for (Page* page : lru_) {
    release_bytes(page->data);
    delete page;
  }
  for (std::byte* memory : pool_) release_bytes(memory);
}

StoreStats RamStore::stats() const {
  const std::scoped_lock lock(mutex_);
  StoreStats out = counters_;
  const std::uint64_t live = allocated_ - pool_.size();
  out.pages_by_tier[static_cast<std::size_t>(Tier::ram)] = live;
  out.bytes_by_tier[static_cast<std::size_t>(Tier::ram)] = live * shape_.page_bytes();
  if (disk_ == nullptr) return out;
  const DiskStats kept = disk_->stats();
  const ReadStats read = reader_->stats();
  out.pages_by_tier[static_cast<std::size_t>(Tier::ssd)] = kept.pages;
  out.bytes_by_tier[static_cast<std::size_t>(Tier::ssd)] = kept.bytes;
  out.disk_budget_bytes = kept.budget_bytes;
  out.disk_read_bytes = kept.read_bytes + read.bytes;
  out.disk_written_bytes = kept.written_bytes;
  out.disk_damaged_pages = kept.damaged;
  out.disk_read_seconds = kept.read_seconds + read.seconds;
  out.disk_snapshots = kept.snapshots;
  out.disk_snapshot_bytes = kept.snapshot_bytes;
  out.disk_evictions = kept.evictions;
  out.disk_full = kept.full;
  out.disk_shared = kept.shared;
  out.live_ssd_pages = live_on_ssd_;
  out.disk_queue = reader_->queue_name();
  if (stream_ == nullptr) return out;
  out.disk_wait_seconds = stream_->waited_seconds();
  out.ring_bytes = stream_->ring_bytes();
  return out;
}

// --- memory ------------------------------------------------------------------------------------------------------------------

std::byte* RamStore::allocate() {
  // Pages of megabytes begin on a huge page where the system has them: attention walks them, and each miss of the
  // address cache costs as much as the arithmetic of a key.
  const std::size_t align = shape_.page_bytes() >= kHugePage ? kHugePage : kAlign;
  const std::size_t bytes = shape_.page_bytes();
  void* data = nullptr;
#ifdef _WIN32
  data = _aligned_malloc(bytes, align);
#else
  if (posix_memalign(&data, align, bytes) != 0) data = nullptr;
#endif
  if (data == nullptr) return nullptr;
#ifdef __linux__
  if (align == kHugePage) (void)madvise(data, bytes, MADV_HUGEPAGE);  // advice only: a refusal changes nothing but speed
#endif
  auto* memory = static_cast<std::byte*>(data);
  // What lies behind the rows of a layer goes to disk with them.
  const std::size_t rows_bytes = static_cast<std::size_t>(shape_.kv_heads) * kPageTokens * (shape_.key_bytes() + shape_.value_bytes());
  for (std::size_t at = rows_bytes; at < bytes; at += shape_.layer_bytes()) std::memset(memory + at, 0, shape_.layer_bytes() - rows_bytes);
  allocated_ += 1;
  return memory;
}

std::byte* RamStore::take_memory() {
  while (allocated_ > limit_pages() && !pool_.empty()) {
    release_bytes(pool_.back());
    pool_.pop_back();
    allocated_ -= 1;
  }
  std::byte* memory = nullptr;
  if (pool_.empty() && allocated_ < limit_pages()) memory = allocate();
  if (memory != nullptr) return memory;
  if (pool_.empty() && !lru_.empty()) evict_one();
  if (pool_.empty()) return nullptr;
  memory = pool_.back();
  pool_.pop_back();
  return memory;
}

void RamStore::give_memory(std::byte* memory) {
  if (allocated_ <= limit_pages()) return pool_.push_back(memory);
  release_bytes(memory);
  allocated_ -= 1;
}

void RamStore::evict_one() {
  Page* page = lru_.front();
  assert(page->tables == 0 && page->pins == 0);
  erase(page);
  counters_.evictions += 1;
}

// Nobody holds the page any more.
void RamStore::erase(Page* page) {
  leave_lru(page);
  if (page->indexed) index_.erase(page->name);
  if (page->data != nullptr) {
    give_memory(page->data);
  } else {
    disk_->release(page->name);
    live_on_ssd_ -= 1;
  }
  delete page;
}

bool RamStore::start_streaming() {
  if (stream_ != nullptr) return true;
  if (disk_ == nullptr || ring_pages_ >= budget_pages_) return false;
  Result<std::unique_ptr<LayerStream>> stream = LayerStream::create(*disk_, *reader_, shape_, ring_pages_ * shape_.page_bytes());
  if (!stream.ok()) return false;
  stream_ = std::move(stream).value();
  return true;
}

bool RamStore::drop_live() {
  if (disk_ == nullptr) return false;
  std::vector<Page*> candidates;
  for (const auto& [name, page] : index_) {
    if (page->data != nullptr && page->tables > 0 && page->pins == 0 && disk_->has(name)) candidates.push_back(page);
  }
  if (candidates.empty() || !start_streaming()) return false;
  std::sort(candidates.begin(), candidates.end(),
            [](const Page* a, const Page* b) { return a->used != b->used ? a->used < b->used : a->index > b->index; });
  bool dropped = false;
  for (Page* page : candidates) {
    PageHeader header;
    if (!disk_->hold(page->name, page->tokens, header)) continue;
    page->layer_crc.assign(header.layer_crc.begin(), header.layer_crc.begin() + shape_.layers);
    give_memory(page->data);
    page->data = nullptr;
    live_on_ssd_ += 1;
    dropped = true;
    if (allocated_ <= limit_pages()) break;  // the first time the ring's part of the budget goes too
  }
  return dropped;
}

Result<Page*> RamStore::take() {
  std::unique_lock lock(mutex_);
  bool kept_all = false;
  for (;;) {
    if (std::byte* memory = take_memory()) {
      Page* page = new Page();
      page->data = memory;
      page->tables = 1;
      page->used = clock_;
      return page;
    }
    if (drop_live()) continue;
    if (writing_ > 0) {
      written_.wait(lock);
      continue;
    }
    // A page may have been named while the disk had no room in its queue.
    if (kept_all || disk_ == nullptr) {
      return Status(Code::does_not_fit, "expected a free KV page within the budget of " + std::to_string(budget_pages_) +
                                            " pages, found all of them in use: close sessions or raise the budget");
    }
    kept_all = true;
    lock.unlock();
    (void)keep_unkept();
    lock.lock();
  }
}

// --- finding what is known -----------------------------------------------------------------------------------------------------

Page* RamStore::find_in_index(const PageName& name, std::span<const Token> tokens) {
  const std::scoped_lock lock(mutex_);
  const auto found = index_.find(name);
  if (found == index_.end() || std::memcmp(found->second->tokens.data(), tokens.data(), sizeof(Token) * kPageTokens) != 0) return nullptr;
  Page* page = found->second;
  leave_lru(page);
  page->tables += 1;
  return page;
}

// Without memory, and not in the index: it is not known yet whether its data are whole.
Page* RamStore::find_on_disk(const PageName& name, const PageName& previous, std::span<const Token> tokens) {
  PageHeader header;
  if (disk_ == nullptr || !disk_->hold(name, tokens, header)) return nullptr;
  Page* page = new Page();
  page->tables = 1;
  page->named = true;
  page->name = name;
  page->previous = previous;
  page->tokens = header.tokens;
  page->layer_crc.assign(header.layer_crc.begin(), header.layer_crc.begin() + shape_.layers);
  const std::scoped_lock lock(mutex_);
  live_on_ssd_ += 1;
  return page;
}

std::vector<Page*> RamStore::find_and_take(std::int64_t index, const PageName& previous, std::span<const Token> tokens, const Keeping& keeping) {
  std::vector<Page*> found, stored;
  PageName before = previous;
  for (; tokens.size() >= static_cast<std::size_t>(kPageTokens); tokens = tokens.subspan(kPageTokens)) {
    const std::span<const Token> page_tokens = tokens.first(kPageTokens);
    const PageName name = next_name(before, page_tokens);
    Page* page = find_in_index(name, page_tokens);
    if (page != nullptr) {
      const std::int64_t end = (index + static_cast<std::int64_t>(found.size()) + 1) * kPageTokens;
      if (keeping.keeps(end)) keep(page, keeping.owner);  // it may have come at a time when the disk was busy
    } else {
      page = find_on_disk(name, before, page_tokens);
      if (page == nullptr) break;
      (void)disk_->use(name, keeping.owner);
      page->index = index + static_cast<std::int64_t>(found.size());
      stored.push_back(page);
    }
    found.push_back(page);
    before = name;
  }
  load(found, stored);
  const std::scoped_lock lock(mutex_);
  counters_.hits += found.size();
  if (tokens.size() >= static_cast<std::size_t>(kPageTokens)) counters_.misses += 1;
  return found;
}

// Brings as many of the stored pages as fit into memory, from the first on, and ends `found` in front of the first damaged one.
void RamStore::load(std::vector<Page*>& found, std::span<Page* const> stored) {
  if (stored.empty()) return;
  std::size_t first_bad = found.size();
  std::vector<char> whole(stored.size(), 0);
  std::size_t fit = 0;
  {
    const std::scoped_lock lock(mutex_);
    const auto room = [&] {
      return limit_pages() + pool_.size() + lru_.size() > allocated_ ? limit_pages() + lru_.size() + pool_.size() - allocated_ : 0;
    };
    fit = std::min<std::size_t>(stored.size(), room());
    if (fit < stored.size()) {
      const std::uint64_t spare = start_streaming() ? limit_pages() / kFreeShare : 0, free = room();
      fit = std::min<std::size_t>(stored.size(), free > spare ? free - spare : 0);
    }
    for (std::size_t i = 0; i < fit; ++i) {
      stored[i]->data = take_memory();
      if (stored[i]->data == nullptr) {
        fit = i;
        break;
      }
      live_on_ssd_ -= 1;
    }
    if (fit < stored.size() && stream_ == nullptr)
      first_bad = static_cast<std::size_t>(std::find(found.begin(), found.end(), stored[fit]) - found.begin());
  }
  const std::size_t asked = read_whole(stored.first(fit), whole);
  for (std::size_t i = 0; i < fit; ++i) {
    if (whole[i] == 0) {
      if (i < asked) disk_->drop_damaged(stored[i]->name);
      first_bad = std::min(first_bad, static_cast<std::size_t>(std::find(found.begin(), found.end(), stored[i]) - found.begin()));
    }
    disk_->release(stored[i]->name);
  }
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = first_bad; i < found.size(); ++i) {
    found[i]->tables -= 1;
    settle(found[i]);
  }
  found.resize(first_bad);
  for (Page*& page : found) {
    if (!page->indexed) page = put_in_index(page);
  }
}

// Pages that were asked for: fewer than all when the store is to stop.
std::size_t RamStore::read_whole(std::span<Page* const> pages, std::span<char> whole) {
  const auto most = static_cast<std::size_t>(std::max<std::uint64_t>(2, kMostLoadingBytes / shape_.page_bytes()));
  std::mutex reading;
  std::condition_variable read;
  std::size_t under_way = 0, asked = 0;
  for (; asked < pages.size() && (stop_ == nullptr || !stop_->load()); ++asked) {
    {
      std::unique_lock lock(reading);
      read.wait(lock, [&] { return under_way < most; });
      under_way += 1;
    }
    const Page& page = *pages[asked];
    reader_->read(disk_->path_of(page.name), page.layer_crc, 0, shape_.layers, page.data, [&, asked](bool ok) {
      const std::scoped_lock lock(reading);
      whole[asked] = ok ? 1 : 0;
      under_way -= 1;
      read.notify_one();
    });
  }
  std::unique_lock lock(reading);
  read.wait(lock, [&] { return under_way == 0; });
  return asked;
}

bool RamStore::copy_whole(Page* page, std::byte* data) {
  std::mutex reading;
  std::condition_variable read;
  int state = -1;
  reader_->read(disk_->path_of(page->name), page->layer_crc, 0, shape_.layers, data, [&](bool ok) {
    const std::scoped_lock lock(reading);
    state = ok ? 1 : 0;
    read.notify_one();
  });
  std::unique_lock lock(reading);
  read.wait(lock, [&] { return state >= 0; });
  return state == 1;
}

void RamStore::drop_damaged(Page* page) {
  disk_->drop_damaged(page->name);
  const std::scoped_lock lock(mutex_);
  page->damaged = true;
  if (page->indexed) index_.erase(page->name);
  page->indexed = false;
}

Walk RamStore::walk(std::span<const std::span<const Pin>> runs) {
  {
    const std::scoped_lock lock(mutex_);
    clock_ += 1;
  }
  for (const std::span<const Pin>& run : runs) {
    if (std::none_of(run.begin(), run.end(), [](const Pin& pin) { return pin.tier() == Tier::ssd; })) continue;
    stream_->begin(runs);
    return Walk(stream_.get());
  }
  return nullptr;
}

// --- the disk ------------------------------------------------------------------------------------------------------------------

// It stays where it is until it is written.
void RamStore::keep(Page* page, const std::string& owner) {
  if (disk_ == nullptr || disk_->use(page->name, owner)) return;
  {
    const std::scoped_lock lock(mutex_);
    if (page->data == nullptr) return;  // its file was removed under it
    page->pins += 1;
    writing_ += 1;
  }
  disk_->write(page->name, page->previous, page->tokens, page->data, owner, [this, page] {
    const std::scoped_lock lock(mutex_);
    page->pins -= 1;
    writing_ -= 1;
    settle(page);
    written_.notify_all();
  });
}

bool RamStore::keep_unkept() {
  std::vector<Page*> unkept;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [name, page] : index_) {
      if (page->data == nullptr || page->tables == 0 || page->pins > 0 || disk_->has(name)) continue;
      page->pins += 1;  // so that it lives until it is queued
      unkept.push_back(page);
    }
  }
  for (Page* page : unkept) {
    keep(page, {});
    drop_pin(page);
  }
  return !unkept.empty();
}

void RamStore::flush() {
  if (disk_ != nullptr) disk_->flush();
}

Result<Forgotten> RamStore::forget_owner(const std::string& owner) {
  if (disk_ == nullptr) return Forgotten{};
  std::vector<PageName> names;
  Result<Forgotten> gone = disk_->forget_owner(owner, &names);
  const std::scoped_lock lock(mutex_);
  for (const PageName& name : names) drop_from_index(name);
  return gone;
}

// A page in use leaves the index, and its memory with its last session.
void RamStore::drop_from_index(const PageName& name) {
  const auto found = index_.find(name);
  if (found == index_.end()) return;
  Page* page = found->second;
  index_.erase(found);
  page->indexed = false;
  if (page->tables + page->pins > 0) return;
  std::memset(page->data, 0, shape_.page_bytes());
  settle(page);
}

std::int64_t RamStore::known(std::span<const Token> prefix, bool with_state) const {
  std::vector<PageName> names = {first_name(shape_.model_fingerprint)};
  while (names.size() * kPageTokens <= prefix.size()) {
    const PageName next = next_name(names.back(), prefix.subspan((names.size() - 1) * kPageTokens, kPageTokens));
    const bool in_memory = [&] {
      const std::scoped_lock lock(mutex_);
      return index_.contains(next);
    }();
    if (!in_memory && (disk_ == nullptr || !disk_->has(next))) break;
    names.push_back(next);
  }
  for (std::size_t full = names.size() - 1;; --full) {
    const std::span<const Token> behind = prefix.subspan(full * kPageTokens);
    const std::int64_t rest = disk_ == nullptr ? -1 : disk_->deepest_snapshot(names[full], behind);
    if (rest >= 0 || !with_state) return static_cast<std::int64_t>(full * kPageTokens) + std::max<std::int64_t>(rest, 0);
    if (full == 0) return 0;
  }
}

// --- counts and names ------------------------------------------------------------------------------------------------------------

void RamStore::leave_lru(Page* page) {
  if (!page->in_lru) return;
  lru_.erase(page->lru);
  page->in_lru = false;
}

void RamStore::settle(Page* page) {
  if (page->tables + page->pins > 0) return;
  if (!page->indexed || page->data == nullptr) return erase(page);
  if (page->in_lru) return;
  page->lru = lru_.insert(lru_.end(), page);
  page->in_lru = true;
}

void RamStore::add_table(Page* page) {
  const std::scoped_lock lock(mutex_);
  assert(page->tables > 0);
  page->tables += 1;
}

void RamStore::drop_table(Page* page) {
  const std::scoped_lock lock(mutex_);
  assert(page->tables > 0);
  page->tables -= 1;
  settle(page);
}

void RamStore::add_pin(Page* page) {
  const std::scoped_lock lock(mutex_);
  assert(page->tables > 0);
  page->pins += 1;
  page->used = clock_;
}

void RamStore::drop_pin(Page* page) {
  const std::scoped_lock lock(mutex_);
  assert(page->pins > 0);
  page->pins -= 1;
  settle(page);
}

bool RamStore::is_shared(const Page* page) const {
  const std::scoped_lock lock(mutex_);
  return page->named || page->tables > 1;
}

Page* RamStore::name_page(Page* page, std::int64_t index, const PageName& name, const PageName& previous, std::span<const Token> tokens,
                          const std::string* owner) {
  Page* named = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    assert(!page->named);
    std::memcpy(page->tokens.data(), tokens.data(), sizeof(Token) * kPageTokens);
    page->name = name;
    page->previous = previous;
    page->index = index;
    page->named = true;
    named = put_in_index(page);
  }
  if (owner != nullptr) keep(named, *owner);
  return named;
}

// The page that the caller's table holds from now on.
Page* RamStore::put_in_index(Page* page) {
  const auto [slot, added] = index_.try_emplace(page->name, page);
  if (added) {
    page->indexed = true;
    return page;
  }
  Page* twin = slot->second;
  const bool equal = std::memcmp(twin->tokens.data(), page->tokens.data(), sizeof(Token) * kPageTokens) == 0;
  // A pinned page stays where it is, and so does one whose name collided with other tokens: named, but not in the index.
  if (!equal || page->pins > 0 || page->tables > 1) return page;
  leave_lru(twin);
  twin->tables += 1;
  page->tables -= 1;
  settle(page);
  return twin;
}

// --- Pin ---------------------------------------------------------------------------------------------------------------------

Pin::Pin(Pin&& other) noexcept : store_(other.store_), page_(other.page_) {
  other.store_ = nullptr;
  other.page_ = nullptr;
}

Pin& Pin::operator=(Pin&& other) noexcept {
  std::swap(store_, other.store_);
  std::swap(page_, other.page_);
  return *this;
}

Pin::~Pin() {
  if (page_ != nullptr) static_cast<RamStore*>(store_)->drop_pin(page_);
}

Tier Pin::tier() const { return page_->data == nullptr ? Tier::ssd : Tier::ram; }

const std::byte* Pin::data() const {
  assert(page_ != nullptr);
  return page_->data;
}

std::byte* Pin::writable_data() {
  assert(page_ != nullptr && !static_cast<RamStore*>(store_)->is_shared(page_));
  return page_->data;
}

}  // namespace codicil::kv
