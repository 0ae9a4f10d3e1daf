// KV pages: where keys and values of every token live, and who may read them.
//
// Owns: the geometry of a page, its tiers, its name (a chained hash of the tokens it holds), the prefix index that lets two
// sessions share a page, and eviction inside the budget. This build has RAM and SSD; VRAM comes behind the same
// three nouns without moving a caller: a page is read or written only through a Pin, and a Pin says in which tier it holds it.
// Live pages that RAM has no room for are on SSD alone: what reads them does it through PageStore::walk, layer by layer (layer_stream.h).
// Leaves to native/engine: which tokens a session has; to kernels: arithmetic.
// Rules that must stay true: moving or sharing a page never changes a bit; a page with an open Pin is never moved or freed;
// a full page is immutable once named; a shared page is copied before it is written.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "native/base/status.h"

namespace codicil::kv {

using Token = std::int32_t;

// 256 tokens: long enough that a page is one good SSD request (2 MiB and more), short enough that a window wastes little.
inline constexpr std::int64_t kPageTokens = 256;
constexpr std::int64_t pages_of(std::int64_t tokens) { return (tokens + kPageTokens - 1) / kPageTokens; }

enum class Tier { vram, ram, ssd };
// How keys and values lie in a page. Numbers are those of FORMAT.md. The quantized formats have an f16 scale per 32 numbers in the page.
enum class Format { f16 = 0, q8_0 = 1, k8v4 = 2 /* keys q8_0, values 4 bits */, q4 = 3, nf4 = 4, k8v5 = 5 /* keys q8_0, values 5 bits */ };
inline constexpr std::array kFormats = {Format::f16, Format::q8_0, Format::k8v4, Format::q4, Format::nf4, Format::k8v5};
const char* format_name(Format format);    // as options and FORMAT.md write it
inline constexpr int kFormatBlock = 32;    // head_dim is a multiple of it, except for f16
inline constexpr int kKeyGroup = 16;       // tokens whose keys lie interleaved (kernels.h)
inline constexpr int kRotationBlock = 64;  // keys and values of a quantized format are rotated when head_dim is a multiple of it

// Geometry shared by all pages of one model.
struct PageShape {
  static constexpr std::size_t kLayerAlign = 4096;  // what disks and systems ask of an unbuffered transfer at most
  int layers = 0;
  int kv_heads = 0;
  int head_dim = 0;
  Format format = Format::f16;
  std::uint64_t model_fingerprint = 0;  // first link of the hash chain: pages of two models never meet
  // One page: for each layer k[kv_heads, kPageTokens] rows of key_bytes(), then v, rows of value_bytes(). A row is one token's head.
  // A layer fills whole blocks of kLayerAlign bytes (the rest zero), so that it can be read from SSD by itself, past the system's cache.
  std::size_t key_bytes() const;
  std::size_t value_bytes() const;
  bool is_rotated() const { return format != Format::f16 && head_dim % kRotationBlock == 0; }
  std::size_t layer_bytes() const;
  std::size_t page_bytes() const;
};

// Name of a full page: hash of (previous page's name, its 256 tokens). 128 bits; equality of names is equality of prefixes.
struct PageName {
  std::uint64_t low = 0, high = 0;
  bool operator==(const PageName&) const = default;
};

struct Page;  // opaque; owned by the PageStore
class LayerStream;

// Move-only right to read, and for an unshared page to write, one page. While it lives the bytes do not move.
class Pin {
 public:
  Pin() = default;
  Pin(Pin&&) noexcept;
  Pin& operator=(Pin&&) noexcept;
  ~Pin();
  Tier tier() const;
  const std::byte* data() const;  // page_bytes() bytes; null in Tier::ssd
  std::byte* writable_data();     // asserts that the page is not shared and not named

 private:
  friend class PageStore;
  friend class PageTable;
  friend class LayerStream;
  class PageStore* store_ = nullptr;
  Page* page_ = nullptr;
};

// Where pages are kept on disk; an empty folder: nowhere.
struct DiskOptions {
  std::string folder;
  std::uint64_t budget_bytes = 0;
  std::uint64_t state_floats = 0, hidden_floats = 0;  // of the model's snapshots (snapshot_file.h)
  std::shared_ptr<const std::atomic<bool>> stop;      // once set, what a prefix still lacks is not read; null: never
};

// What of a table goes to disk: the pages that end at or before `until`, as the property of `owner` (a document; letters, digits, - and _; empty:
// nobody's). Where memory does not hold what is alive, pages behind `until` go there too, and with the pages that they continue.
// A page or snapshot stays while one of its owners does.
struct Keeping {
  std::int64_t until = std::numeric_limits<std::int64_t>::max();
  std::string owner;
  bool keeps(std::int64_t end) const { return end <= until; }
};

struct Forgotten {
  std::uint64_t files = 0, bytes = 0;
};
// What lies in a folder of stores, of all models.
struct StoredOwner {
  std::string owner;
  std::uint64_t files = 0, bytes = 0;  // a file of two owners counts for both
};
struct Stored {
  std::uint64_t files = 0, bytes = 0, models = 0;
  std::vector<StoredOwner> owners;
};

// The reading of one step. When it ends, however the step went, none of its reads is under way: only then may the step's pins go.
struct EndWalk {
  void operator()(LayerStream* stream) const;
};
using Walk = std::unique_ptr<LayerStream, EndWalk>;

struct StoreStats {
  std::array<std::uint64_t, 3> bytes_by_tier{};  // indexed by Tier
  std::array<std::uint64_t, 3> pages_by_tier{};
  std::uint64_t budget_bytes = 0;
  std::uint64_t hits = 0, misses = 0, evictions = 0;                                                         // of the prefix index, in pages
  std::uint64_t disk_budget_bytes = 0, disk_read_bytes = 0, disk_written_bytes = 0, disk_damaged_pages = 0;  // since open
  double disk_read_seconds = 0;                               // in which at least one read was under way
  double disk_wait_seconds = 0;                               // that steps waited for pages on SSD
  const char* disk_queue = "none";                            // what reads: "io_uring", "threads"
  std::uint64_t disk_snapshots = 0, disk_snapshot_bytes = 0;  // beside the pages of Tier::ssd
  std::uint64_t disk_evictions = 0;                           // files, since open
  bool disk_full = false, disk_shared = false;                // too little room left; another process has the folder: nothing is written
  std::uint64_t live_ssd_pages = 0, ring_bytes = 0;           // pages that sessions hold and RAM does not, and what they are read through
};

// All pages of one model. Thread-safe: sessions of one engine share it.
class PageStore {
 public:
  static Result<std::unique_ptr<PageStore>> open(const PageShape& shape, std::uint64_t ram_budget_bytes, const DiskOptions& disk = {});
  virtual ~PageStore() = default;
  virtual const PageShape& shape() const = 0;
  virtual StoreStats stats() const = 0;
  // Returns when every full page that was committed is on disk.
  virtual void flush() = 0;
  // Removes every file that only `owner` has, with all that continue it, from disk and from the index; when it returns without an error they are
  // gone. io_failed with the files that are left. Its sessions end before.
  virtual Result<Forgotten> forget_owner(const std::string& owner) = 0;
  // Tokens of the prefix that need not be computed (with_state: that have a recurrent state on disk), by the indexes; nothing is read.
  virtual std::int64_t known(std::span<const Token> prefix, bool with_state) const = 0;
  // The pages that one step reads, runs[i] those of one sequence in order: begins to read those on SSD. Null: all of them are in RAM.
  virtual Walk walk(std::span<const std::span<const Pin>> runs) = 0;
  // The least budget with which sessions may outgrow it: pages of one step beside the ring that the others are read through.
  static std::uint64_t least_streaming_bytes(const PageShape& shape, std::int64_t step_tokens);
};

// The pages of one session, in order. Not thread-safe: the scheduler owns it while a job of the session runs.
class PageTable {
 public:
  static std::unique_ptr<PageTable> create(PageStore& store);
  virtual ~PageTable() = default;
  virtual std::int64_t tokens() const = 0;
  // Makes the table hold exactly the longest known prefix of `prefix`, from its own pages and from the index; returns its length.
  virtual std::int64_t restore(std::span<const Token> prefix) = 0;
  virtual void truncate(std::int64_t tokens) = 0;
  // Room for `count` more tokens; does_not_fit when the budget is used up by pinned pages and those that are not on SSD;
  // corrupt_file when the page that is to be gone on with cannot be read.
  virtual Status reserve(std::int64_t count) = 0;
  // Declares that the keys and values of `added` were written at positions tokens() .. ; names pages that became full.
  virtual void commit(std::span<const Token> added) = 0;
  virtual std::int64_t page_count() const = 0;
  virtual Pin pin(std::int64_t page_index) = 0;
  // A page whose file is damaged: the table ends in front of it, and nobody finds it again. No pins.
  virtual void drop_damaged(std::int64_t page_index) = 0;
  virtual void set_keeping(Keeping keeping) = 0;  // from now on; at first everything is kept, as nobody's
  virtual std::unique_ptr<PageTable> fork() = 0;  // shares full pages, copies the last partial one on its first write

 protected:
  static Pin make_pin(PageStore& store, Page* page);  // takes over a pin that was counted already
};

}  // namespace codicil::kv
