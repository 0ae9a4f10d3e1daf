// The document store: pages of keys and values and the snapshots between them on SSD, so that what was read once is read from disk after a restart
// and never computed again.
//
// Owns: the folder of one model, the list of what is in it, the thread that writes, the budget. FORMAT.md describes the files.
// Leaves to RamStore and SnapshotStore: what exists and who uses it; to owner_ledger.h: whose it is.
// Rules that must stay true: a record is given only if its checksums agree and its tokens are the wanted ones; one whose bytes do not agree is
// deleted, one that merely can not be opened is reported as absent; what could not be deleted is never counted as gone; writing never blocks a reader;
// a page is not evicted before what continues it; one process writes to a folder at a time, others only read, and delete nothing.
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

#include "native/kv/owner_ledger.h"
#include "native/kv/page_file.h"
#include "native/kv/snapshot_file.h"

namespace codicil::kv {

struct DiskStats {
  std::uint64_t pages = 0, snapshots = 0, bytes = 0, snapshot_bytes = 0, budget_bytes = 0;  // bytes: of the pages
  std::uint64_t written_bytes = 0, read_bytes = 0;                                          // since open
  std::uint64_t damaged = 0, evictions = 0;                                                 // since open
  double read_seconds = 0;
  bool full = false;    // the disk has too little room or too few inodes left: nothing is written
  bool shared = false;  // another process writes to the folder: nothing is written here
};

class DiskStore {
 public:
  // Opens FOLDER/<fingerprint>, makes it where it is missing, drops what is damaged. io_failed with what the system said.
  static Result<std::unique_ptr<DiskStore>> open(const std::string& folder, const SnapshotShape& shape, std::uint64_t budget_bytes);
  ~DiskStore();  // writes what is queued
  DiskStore(const DiskStore&) = delete;
  DiskStore& operator=(const DiskStore&) = delete;

  // Queues a page unless it is kept already. `data` must not change until `done` is called, on the writing thread, exactly once.
  void write(const PageName& name, const PageName& previous, std::span<const Token> tokens, const std::byte* data, const std::string& owner,
             std::function<void()> done);
  void write(std::shared_ptr<const Snapshot> snapshot, const std::string& owner);
  bool has(const PageName& name) const;  // kept, as far as is known without reading
  // has(), and it is the owner's from now on and the last to be evicted. An empty owner is nobody.
  bool use(const PageName& name, const std::string& owner);

  // Reads and checks the header of a kept page of these tokens, and keeps its file from eviction until the one release() that every hold() is
  // followed by, whatever becomes of the file. False: none is kept, and nothing is to be released.
  bool hold(const PageName& name, std::span<const Token> tokens, PageHeader& header);
  void release(const PageName& name);
  // A page that was found not to be as it was written, or could not be read: deleted if a second look says so too, kept if it can not be opened now.
  void drop_damaged(const PageName& name);
  std::string path_of(const PageName& name, bool snapshot = false) const;

  // Tokens behind page `previous` of the deepest kept snapshot whose tokens `behind` begins with; -1: there is none.
  std::int64_t deepest_snapshot(const PageName& previous, std::span<const Token> behind) const;
  // Null: not kept, damaged, or of other tokens.
  std::shared_ptr<const Snapshot> read_snapshot(const PageName& previous, std::span<const Token> rest);

  // Removes what only this owner has, with all that continues it, and its ledger; `names` gets what is gone, or should be. What was queued before is
  // written first, then removed. io_failed with the files that are left, or when another process writes to the folder.
  Result<Forgotten> forget_owner(const std::string& owner, std::vector<PageName>* names);
  void flush();  // returns when what was queued before the call is written
  DiskStats stats() const;
  std::string folder() const { return folder_; }
  const SnapshotShape& shape() const { return shape_; }

 private:
  struct Entry {
    PageName previous;
    std::list<PageName>::iterator place;  // in order_
    std::uint64_t bytes = 0;              // of the file
    std::int64_t rest = -1;               // of a snapshot: tokens behind its page; -1: a page
  };
  struct Order {
    PageName name;
    std::string owner;
    PageHeader header;                         // of a page
    const std::byte* data = nullptr;           // of a page
    std::shared_ptr<const Snapshot> snapshot;  // of a snapshot; neither: the record only gets an owner
    std::function<void()> done;
    bool writes() const { return data != nullptr || snapshot != nullptr; }
  };
  using Entries = std::unordered_map<PageName, Entry, NameHash>;
  using Links = std::unordered_multimap<PageName, PageName, NameHash>;

  DiskStore(std::string folder, const SnapshotShape& shape, std::uint64_t budget_bytes);
  bool lock_folder();
  Status scan();
  void adopt(const std::string& path);
  bool enqueue(Order& order);
  void work();
  void carry_out(Order& order);
  bool write_file(Order& order);
  bool make_room(std::uint64_t bytes);  // guarded
  bool has_space(std::uint64_t bytes) const;
  std::uint64_t page_file_bytes() const { return kPageHeaderBytes + shape_.page.page_bytes(); }
  bool open_entry(const PageName& name);                  // moves it to the back; false: not kept
  void discard(const PageName& name);                     // its bytes were read and are not as they were written
  void insert(const PageName& name, const Entry& entry);  // guarded
  bool evict(Entries::iterator entry);                    // guarded; false: its file is left, and so is the entry
  void take_out(Entries::iterator entry);                 // guarded; of the index
  void erase_all(std::vector<PageName> names, Deletion& deletion, std::vector<PageName>* all);  // guarded; with what continues them

  const std::string folder_;
  const SnapshotShape shape_;
  const std::uint64_t budget_bytes_;
  int lock_file_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable wake_, idle_;
  Entries entries_;
  std::unordered_map<PageName, int, NameHash> holds_;  // guarded: pages in use that have no other copy
  // guarded: files that the index does not have: they could not be opened, or were damaged and could not be deleted
  std::vector<std::string> outside_;
  OwnerLedger ledger_;                               // guarded
  Links pages_after_;                                // page -> kept pages that continue it
  Links snapshots_after_;                            // page -> kept snapshots behind it
  std::list<PageName> order_;                        // front: unused longest
  std::deque<Order> queue_;                          // guarded
  Names queued_;                                     // guarded: in the queue or being written
  std::uint64_t queued_count_ = 0, done_count_ = 0;  // guarded: orders since open
  bool stopping_ = false;
  DiskStats counters_;
  std::thread writer_;
};

}  // namespace codicil::kv
