// RamStore, the page names, and Pin. See page_store.h for the rules.

#include "native/kv/page_store.h"

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

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

// Multiply-and-fold mixing as in wyhash: a full 64 x 64 product, halves xored.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  const std::uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  const std::uint64_t low = a0 * b0, mid1 = a1 * b0 + (low >> 32), mid2 = a0 * b1 + (mid1 & 0xffffffffu);
  const std::uint64_t high = a1 * b1 + (mid1 >> 32) + (mid2 >> 32);
  return ((mid2 << 32) | (low & 0xffffffffu)) ^ high;
#endif
}

void release_bytes(std::byte* data) {
#ifdef _WIN32
  _aligned_free(data);
#else
  std::free(data);
#endif
}

// Odd constants with bits spread evenly (fractional parts of square roots); two lanes with different ones give 128 bits.
constexpr std::uint64_t kLane[4] = {0x6a09e667f3bcc909u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u};

}  // namespace

const char* format_name(Format format) {
  constexpr std::array kNames = {"f16", "q8_0", "k8v4", "q4", "nf4"};
  return kNames[static_cast<std::size_t>(format)];
}

namespace {

std::size_t row_bytes(int bits, int head_dim) {
  if (bits == 16) return static_cast<std::size_t>(head_dim) * 2;
  assert(head_dim % kFormatBlock == 0);
  return static_cast<std::size_t>(head_dim / kFormatBlock) * static_cast<std::size_t>(2 + kFormatBlock * bits / 8);
}

}  // namespace

std::size_t PageShape::key_bytes() const {
  return row_bytes(format == Format::f16 ? 16 : format == Format::q8_0 || format == Format::k8v4 ? 8 : 4, head_dim);
}
std::size_t PageShape::value_bytes() const { return row_bytes(format == Format::f16 ? 16 : format == Format::q8_0 ? 8 : 4, head_dim); }
std::size_t PageShape::layer_bytes() const {
  return round_up(static_cast<std::size_t>(kv_heads) * kPageTokens * (key_bytes() + value_bytes()), kLayerAlign);
}
std::size_t PageShape::page_bytes() const { return layer_bytes() * static_cast<std::size_t>(layers); }

PageName first_name(std::uint64_t model_fingerprint) {
  return {fold(model_fingerprint ^ kLane[0], kLane[1]), fold(model_fingerprint ^ kLane[2], kLane[3])};
}

PageName next_name(const PageName& previous, std::span<const Token> tokens) {
  assert(tokens.size() == static_cast<std::size_t>(kPageTokens));
  std::uint64_t low = previous.low, high = previous.high;
  for (std::size_t i = 0; i < tokens.size(); i += 2) {
    const std::uint64_t pair = static_cast<std::uint32_t>(tokens[i]) | (static_cast<std::uint64_t>(static_cast<std::uint32_t>(tokens[i + 1])) << 32);
    low = fold(low ^ pair ^ kLane[0], high ^ kLane[1]) + pair;
    high = fold(high ^ pair ^ kLane[2], low ^ kLane[3]);
  }
  return {fold(low ^ kLane[1], high ^ kLane[2]), fold(high ^ kLane[3], low ^ kLane[0])};
}

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
    Result<std::unique_ptr<DiskStore>> opened = DiskStore::open(disk.folder, shape, disk.budget_bytes);
    if (!opened.ok()) return opened.status();
    kept = std::move(opened).value();
  }
  return std::unique_ptr<PageStore>(std::make_unique<RamStore>(shape, ram_budget_bytes, std::move(kept)));
}

RamStore::RamStore(const PageShape& shape, std::uint64_t budget_bytes, std::unique_ptr<DiskStore> disk)
    : shape_(shape), budget_pages_(budget_bytes / shape.page_bytes()), disk_(std::move(disk)) {
  counters_.budget_bytes = budget_bytes;
}

RamStore::~RamStore() {
  disk_.reset();  // what waits to be written is pinned
  const auto release = [](Page* page) {
    release_bytes(page->data);
    delete page;
  };
  // Tables and pins must be gone by now: their pages would otherwise leak, which the sanitizers report.
  for (Page* page : lru_) release(page);
  for (Page* page : pool_) release(page);
}

StoreStats RamStore::stats() const {
  const std::scoped_lock lock(mutex_);
  StoreStats out = counters_;
  const std::uint64_t live = allocated_ - pool_.size();
  out.pages_by_tier[static_cast<std::size_t>(Tier::ram)] = live;
  out.bytes_by_tier[static_cast<std::size_t>(Tier::ram)] = live * shape_.page_bytes();
  if (disk_ == nullptr) return out;
  const DiskStats kept = disk_->stats();
  out.pages_by_tier[static_cast<std::size_t>(Tier::ssd)] = kept.pages;
  out.bytes_by_tier[static_cast<std::size_t>(Tier::ssd)] = kept.bytes;
  out.disk_budget_bytes = kept.budget_bytes;
  out.disk_read_bytes = kept.read_bytes;
  out.disk_written_bytes = kept.written_bytes;
  out.disk_damaged_pages = kept.damaged;
  out.disk_read_seconds = kept.read_seconds;
  return out;
}

Page* RamStore::allocate() {
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
  Page* page = new (std::nothrow) Page();
  if (page == nullptr) {
    release_bytes(static_cast<std::byte*>(data));
    return nullptr;
  }
  page->data = static_cast<std::byte*>(data);
  // What lies behind the rows of a layer goes to disk with them.
  const std::size_t rows_bytes = static_cast<std::size_t>(shape_.kv_heads) * kPageTokens * (shape_.key_bytes() + shape_.value_bytes());
  for (std::size_t at = rows_bytes; at < bytes; at += shape_.layer_bytes()) std::memset(page->data + at, 0, shape_.layer_bytes() - rows_bytes);
  allocated_ += 1;
  return page;
}

bool RamStore::evict_one() {
  if (lru_.empty()) return false;
  Page* page = lru_.front();
  lru_.pop_front();
  assert(page->tables == 0 && page->pins == 0);
  index_.erase(page->name);
  page->indexed = page->named = false;
  pool_.push_back(page);
  counters_.evictions += 1;
  return true;
}

Result<Page*> RamStore::take() {
  const std::scoped_lock lock(mutex_);
  Page* page = nullptr;
  if (pool_.empty() && allocated_ < budget_pages_) page = allocate();
  if (page == nullptr) {
    if (pool_.empty() && !evict_one()) {
      return Status(Code::does_not_fit, "expected a free KV page within the budget of " + std::to_string(budget_pages_) +
                                            " pages, found all of them in use: close sessions or raise the budget");
    }
    page = pool_.back();
    pool_.pop_back();
  }
  page->tables = 1;
  page->named = page->indexed = false;
  return page;
}

Page* RamStore::find_in_index(const PageName& name, std::span<const Token> tokens) {
  const std::scoped_lock lock(mutex_);
  const auto found = index_.find(name);
  if (found == index_.end() || std::memcmp(found->second->tokens.data(), tokens.data(), sizeof(Token) * kPageTokens) != 0) return nullptr;
  Page* page = found->second;
  if (page->tables + page->pins == 0) lru_.erase(page->lru);
  page->tables += 1;
  counters_.hits += 1;
  return page;
}

Page* RamStore::find_and_take(const PageName& name, const PageName& previous, std::span<const Token> tokens) {
  if (Page* page = find_in_index(name, tokens)) {
    keep(page, previous);  // it may have come at a time when the disk was busy
    return page;
  }
  if (disk_ != nullptr && disk_->has(name)) {
    // A full RAM tier may have no page to read into: then the tokens are as good as unknown, and the caller's reserve() says what is wrong.
    Result<Page*> fresh = take();
    if (fresh.ok() && disk_->read(name, tokens, fresh.value()->data)) {
      const std::scoped_lock lock(mutex_);
      counters_.hits += 1;
      return set_name(fresh.value(), name, tokens);
    }
    if (fresh.ok()) drop_table(fresh.value());
  }
  const std::scoped_lock lock(mutex_);
  counters_.misses += 1;
  return nullptr;
}

// Queues a named page for the disk; it stays where it is until it is written.
void RamStore::keep(Page* page, const PageName& previous) {
  if (disk_ == nullptr || disk_->has(page->name)) return;
  add_pin(page);
  disk_->write(page->name, previous, page->tokens, page->data, [this, page] { drop_pin(page); });
}

void RamStore::flush() {
  if (disk_ != nullptr) disk_->flush();
}

std::uint64_t RamStore::forget(std::span<const Token> prefix) {
  PageName name = first_name(shape_.model_fingerprint);
  if (prefix.size() < static_cast<std::size_t>(kPageTokens)) return 0;
  name = next_name(name, prefix.first(kPageTokens));
  const std::uint64_t gone = disk_ == nullptr ? 0 : disk_->forget(name);
  const std::scoped_lock lock(mutex_);
  // What no session holds goes at once; a page in use leaves the index, and its memory with its last session.
  PageName at = first_name(shape_.model_fingerprint);
  for (std::size_t page = 0; (page + 1) * kPageTokens <= prefix.size(); ++page) {
    at = next_name(at, prefix.subspan(page * kPageTokens, kPageTokens));
    const auto found = index_.find(at);
    if (found == index_.end()) continue;
    Page* known = found->second;
    index_.erase(found);
    known->indexed = false;
    if (known->tables + known->pins > 0) continue;
    lru_.erase(known->lru);
    std::memset(known->data, 0, shape_.page_bytes());
    settle(known);
  }
  return gone;
}

void RamStore::settle(Page* page) {
  if (page->tables + page->pins > 0) return;
  if (page->indexed) {
    page->lru = lru_.insert(lru_.end(), page);
  } else {
    page->named = false;
    pool_.push_back(page);
  }
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

Page* RamStore::name_page(Page* page, const PageName& name, const PageName& previous, std::span<const Token> tokens) {
  Page* named = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    named = set_name(page, name, tokens);
  }
  keep(named, previous);
  return named;
}

// The mutex is held.
Page* RamStore::set_name(Page* page, const PageName& name, std::span<const Token> tokens) {
  assert(!page->named);
  std::memcpy(page->tokens.data(), tokens.data(), sizeof(Token) * kPageTokens);
  page->name = name;
  page->named = true;
  const auto [slot, added] = index_.try_emplace(name, page);
  if (added) {
    page->indexed = true;
    return page;
  }
  Page* twin = slot->second;
  const bool equal = std::memcmp(twin->tokens.data(), tokens.data(), sizeof(Token) * kPageTokens) == 0;
  // A pinned page stays where it is, and so does one whose name collided with other tokens: named, but not in the index.
  if (!equal || page->pins > 0 || page->tables > 1) return page;
  if (twin->tables + twin->pins == 0) lru_.erase(twin->lru);
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

Tier Pin::tier() const { return Tier::ram; }

const std::byte* Pin::data() const {
  assert(page_ != nullptr);
  return page_->data;
}

std::byte* Pin::writable_data() {
  assert(page_ != nullptr && !static_cast<RamStore*>(store_)->is_shared(page_));
  return page_->data;
}

}  // namespace codicil::kv
