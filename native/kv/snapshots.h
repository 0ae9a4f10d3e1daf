// Snapshots: the recurrent state of a sequence at one exact position, kept so that a prefix needs to be read only once.
//
// Owns: which states are kept and for how long (least recently used goes first, inside a budget). Leaves to native/model what a state is.
// Rules that must stay true: a state is given only for the very tokens that made it: full pages are compared by their chained names, the rest
// token by token; a snapshot never changes after put(). Not thread-safe: the scheduler's driver owns it.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "native/kv/kv.h"

namespace codicil::kv {

struct Snapshot {
  std::int64_t position = 0;  // tokens that the state has seen
  std::vector<float> state;   // [ModelConfig::recurrent_floats()]
  std::vector<float> hidden;  // [embedding] of the last token after the last norm; empty: not known
};

class SnapshotStore {
 public:
  SnapshotStore(std::uint64_t model_fingerprint, std::uint64_t budget_bytes) : fingerprint_(model_fingerprint), budget_bytes_(budget_bytes) {}

  // Keeps the state after `prefix`; replaces an equal one. More than the budget in one snapshot is not kept.
  void put(std::span<const Token> prefix, std::span<const float> state, std::span<const float> hidden);
  // The deepest snapshot of a prefix of `tokens` of at most `limit` tokens; null: none. Valid until the next put().
  const Snapshot* find(std::span<const Token> tokens, std::int64_t limit);
  std::uint64_t bytes() const { return bytes_; }
  std::size_t count() const { return entries_.size(); }

 private:
  struct Entry {
    PageName name;            // of the last full page
    std::vector<Token> rest;  // behind it
    Snapshot snapshot;
  };
  struct NameHash {
    std::size_t operator()(const PageName& name) const { return static_cast<std::size_t>(name.low); }
  };
  using Entries = std::list<Entry>;
  static std::uint64_t bytes_of(const Entry& entry);
  void drop(Entries::iterator entry);

  const std::uint64_t fingerprint_, budget_bytes_;
  std::uint64_t bytes_ = 0;
  Entries entries_;  // front: unused longest
  std::unordered_multimap<PageName, Entries::iterator, NameHash> by_name_;
};

}  // namespace codicil::kv
