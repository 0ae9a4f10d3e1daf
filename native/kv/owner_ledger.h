// Whose the files of a store are: one ledger per owner, so that a document's files can be found and deleted without any model.
//
// Owns: the folder `owners` of one model. Leaves to DiskStore which files there are and when they go.
// Rule that must stay true: a name stands in its owner's ledger before its file appears: after a crash at any instant no file is without its owner.
// Threads: none of its own; DiskStore calls it with its mutex held or from its writing thread.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "native/kv/deletion.h"
#include "native/kv/kv.h"

namespace codicil::kv {

struct NameHash {
  std::size_t operator()(const PageName& name) const { return static_cast<std::size_t>(name.low); }
};
using Names = std::unordered_set<PageName, NameHash>;

// Owners are part of file names: at most 64 letters, digits, - and _.
bool is_owner(const std::string& text);

class OwnerLedger {
 public:
  explicit OwnerLedger(std::string folder) : folder_(std::move(folder)) {}
  // Reads every ledger and writes nothing. A torn or damaged entry ends its ledger: what stands behind it was never written, or is nobody's until
  // it is read again. One that can not be opened is read again by the next call.
  void read();
  // False: a ledger that may be this owner's is there and could not be read.
  bool has_read(const std::string& owner) const { return !unread_folder_ && !unread_.contains(owner); }
  // Drops entries that `exists` denies and writes shrunken and torn ledgers anew.
  template <typename Exists>
  void prune(Exists exists) {
    std::vector<std::string> changed(torn_.begin(), torn_.end());
    for (auto& [owner, names] : names_)
      if (std::erase_if(names, [&](const PageName& name) { return !exists(name); }) > 0 || names.empty()) changed.push_back(owner);
    for (const std::string& owner : changed) (void)rewrite(owner);  // one that stays torn is not added to
  }
  bool owns(const std::string& owner, const PageName& name) const;
  bool is_owned_by_another(const std::string& owner, const PageName& name) const;
  bool add(const std::string& owner, const PageName& name);  // false: it could not be written
  std::string path_of(const std::string& owner) const { return folder_ + "/" + owner + ".owner"; }
  void drop(const PageName& name);  // its file is gone; the entry stays until the ledger is next pruned
  const std::unordered_map<std::string, Names>& all() const { return names_; }
  bool remove(const std::string& owner, Deletion& deletion);  // the ledger's file too; where that is left the owner is still known

 private:
  bool rewrite(const std::string& owner);

  const std::string folder_;
  std::unordered_map<std::string, Names> names_;
  std::unordered_set<std::string> torn_;    // owners; what is added would stand behind the tear
  std::unordered_set<std::string> unread_;  // owners
  bool unread_folder_ = false;
};

}  // namespace codicil::kv
