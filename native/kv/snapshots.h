// Snapshots: what a session knows at one exact position, kept so that a prefix needs to be read only once.
//
// Owns: which of them stay in memory (least recently used goes first, inside a budget) and finding the deepest one of a prefix, in memory or on
// disk. Leaves to native/model what a recurrent state is, to snapshot_file.h the bytes, to DiskStore the files.
// Rules that must stay true: a snapshot is given only for the very tokens that made it: full pages are compared by their chained names, the rest
// token by token; a snapshot never changes after put(). Threads: every method may be called from any thread.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>

#include "native/kv/disk_store.h"
#include "native/kv/kv.h"
#include "native/kv/snapshot_file.h"

namespace codicil::kv {

class SnapshotStore {
 public:
  // Of the same model as `store`, whose disk it uses.
  SnapshotStore(PageStore& store, const SnapshotShape& shape, std::uint64_t ram_budget_bytes);

  // False: nothing that put() is given would be kept.
  bool keeps() const { return ram_budget_bytes_ > 0 || disk_ != nullptr; }
  // Keeps what is known after `tokens`: in memory, and on disk where `owner` says so (null: not).
  // `last_page`: the page that holds the tokens behind the last full one; null where there are none. Kept already: becomes the owner's too.
  void put(std::span<const Token> tokens, std::span<const float> state, std::span<const float> hidden, const std::byte* last_page,
           const std::string* owner);
  // The deepest snapshot of a prefix of `tokens` of more than `above` and at most `limit` tokens, from now on `owner`'s too; null: none.
  std::shared_ptr<const Snapshot> find(std::span<const Token> tokens, std::int64_t above, std::int64_t limit, const std::string& owner);
  void forget_owner(const std::string& owner);  // in memory
  const SnapshotShape& shape() const { return shape_; }
  std::uint64_t bytes() const;
  std::size_t count() const;

 private:
  struct Entry {
    std::shared_ptr<const Snapshot> snapshot;
    std::string owner;
  };
  using Entries = std::list<Entry>;
  void remember(std::shared_ptr<const Snapshot> snapshot, const std::string& owner);  // guarded
  void drop(Entries::iterator entry);                                                 // guarded
  std::shared_ptr<const Snapshot> deepest_in_memory(const PageName& page, std::span<const Token> behind);

  const SnapshotShape shape_;
  const std::uint64_t ram_budget_bytes_;
  DiskStore* const disk_;  // null: memory only
  mutable std::mutex mutex_;
  std::uint64_t bytes_ = 0;
  Entries entries_;                                                            // front: unused longest
  std::unordered_multimap<PageName, Entries::iterator, NameHash> after_page_;  // page -> snapshots behind it
};

}  // namespace codicil::kv
