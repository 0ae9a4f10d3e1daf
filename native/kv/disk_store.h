// The document store: pages of keys and values on SSD, so that what was read once is read from disk after a restart and never computed again.
//
// Owns: the folder of one model, the list of what is in it, the thread that writes, the budget. FORMAT.md describes the files.
// Leaves to RamStore: which pages exist and who uses them.
// Rules that must stay true: a page is given only if its checksums agree and its tokens are the wanted ones; anything else is deleted and reported
// as absent; writing never blocks a reader; a page whose continuation is kept is not evicted before it.
// Threads: every method may be called from any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "native/kv/page_file.h"

namespace codicil::kv {

struct DiskStats {
  std::uint64_t pages = 0, bytes = 0, budget_bytes = 0;
  std::uint64_t written_bytes = 0, read_bytes = 0;  // since open
  std::uint64_t damaged = 0, evictions = 0;         // since open
  double read_seconds = 0;
  bool full = false;  // the disk has too little room or too few inodes left: nothing is written
};

class DiskStore {
 public:
  // Opens FOLDER/<fingerprint>, makes it where it is missing, drops what is damaged. io_failed with what the system said.
  static Result<std::unique_ptr<DiskStore>> open(const std::string& folder, const PageShape& shape, std::uint64_t budget_bytes);
  ~DiskStore();  // writes what is queued
  DiskStore(const DiskStore&) = delete;
  DiskStore& operator=(const DiskStore&) = delete;

  // Queues a page unless it is kept already. `data` must not change until `done` is called, on the writing thread, exactly once.
  void write(const PageName& name, const PageName& previous, std::span<const Token> tokens, const std::byte* data, std::function<void()> done);
  bool has(const PageName& name) const;  // kept, as far as is known without reading
  // Fills data[page_bytes] and returns true, or returns false: not kept, damaged, or of other tokens.
  bool read(const PageName& name, std::span<const Token> tokens, std::byte* data);
  // Reads and checks the header of a kept page of these tokens, and keeps its file from eviction until release(). False: none is kept.
  bool hold(const PageName& name, std::span<const Token> tokens, PageHeader& header);
  void release(const PageName& name);
  void drop_damaged(const PageName& name);  // a file whose data were found not to agree with its checksums
  std::string path_of(const PageName& name) const;
  // Removes a page and all that continue it; returns how many files are gone. What is queued is written first, then removed.
  std::uint64_t forget(const PageName& name);
  void flush();  // returns when the queue is empty
  DiskStats stats() const;
  std::string folder() const { return folder_; }

 private:
  struct NameHash {
    std::size_t operator()(const PageName& name) const { return static_cast<std::size_t>(name.low); }
  };
  struct Entry {
    PageName previous;
    std::list<PageName>::iterator place;  // in order_
    int holds = 0;                        // pages in use that have no other copy
  };
  struct Order {
    PageHeader header;
    const std::byte* data;
    std::function<void()> done;
  };
  using Entries = std::unordered_map<PageName, Entry, NameHash>;

  DiskStore(std::string folder, const PageShape& shape, std::uint64_t budget_bytes);
  Status scan();
  void adopt(const std::string& path);
  void work();
  void write_file(Order& order);
  bool make_room();  // guarded
  bool has_space() const;
  std::uint64_t file_bytes() const { return kPageHeaderBytes + shape_.page_bytes(); }
  void insert(const PageName& name, const PageName& previous);  // guarded
  void erase(Entries::iterator entry);                          // guarded; the file too

  const std::string folder_;
  const PageShape shape_;
  const std::uint64_t budget_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable wake_, idle_;
  Entries entries_;
  std::unordered_multimap<PageName, PageName, NameHash> continuations_;  // page -> kept pages that continue it
  std::list<PageName> order_;                                            // front: unused longest
  std::deque<Order> queue_;                                              // guarded
  std::unordered_set<PageName, NameHash> queued_;                        // guarded: in the queue or being written
  bool stopping_ = false, busy_ = false;
  DiskStats counters_;
  std::thread writer_;
};

}  // namespace codicil::kv
