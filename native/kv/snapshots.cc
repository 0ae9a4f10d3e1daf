#include "native/kv/snapshots.h"

#include <algorithm>

#include "native/kv/page_store.h"

namespace codicil::kv {

namespace {

std::size_t full_pages(std::span<const Token> tokens) { return tokens.size() / kPageTokens; }

}  // namespace

std::uint64_t SnapshotStore::bytes_of(const Entry& entry) {
  return (entry.snapshot.state.size() + entry.snapshot.hidden.size() + entry.rest.size()) * sizeof(float);
}

void SnapshotStore::drop(Entries::iterator entry) {
  const auto [begin, end] = by_name_.equal_range(entry->name);
  for (auto it = begin; it != end; ++it) {
    if (it->second != entry) continue;
    by_name_.erase(it);
    break;
  }
  bytes_ -= bytes_of(*entry);
  entries_.erase(entry);
}

void SnapshotStore::put(std::span<const Token> prefix, std::span<const float> state, std::span<const float> hidden) {
  Entry entry;
  entry.name = first_name(fingerprint_);
  for (std::size_t page = 0; page < full_pages(prefix); ++page) entry.name = next_name(entry.name, prefix.subspan(page * kPageTokens, kPageTokens));
  const std::span<const Token> rest = prefix.subspan(full_pages(prefix) * kPageTokens);
  entry.rest.assign(rest.begin(), rest.end());
  entry.snapshot = {static_cast<std::int64_t>(prefix.size()), {state.begin(), state.end()}, {hidden.begin(), hidden.end()}};
  const std::uint64_t bytes = bytes_of(entry);
  if (bytes > budget_bytes_) return;

  const auto [begin, end] = by_name_.equal_range(entry.name);
  const auto equal = std::find_if(begin, end, [&](const auto& known) { return known.second->rest == entry.rest; });
  if (equal != end) drop(equal->second);
  while (bytes_ + bytes > budget_bytes_) drop(entries_.begin());
  bytes_ += bytes;
  entries_.push_back(std::move(entry));
  by_name_.emplace(entries_.back().name, std::prev(entries_.end()));
}

const Snapshot* SnapshotStore::find(std::span<const Token> tokens, std::int64_t limit) {
  const std::span<const Token> within = tokens.first(std::min(tokens.size(), static_cast<std::size_t>(std::max<std::int64_t>(limit, 0))));
  Entries::iterator best = entries_.end();
  PageName name = first_name(fingerprint_);
  for (std::size_t page = 0; page <= full_pages(within); ++page) {
    const std::span<const Token> behind = within.subspan(page * kPageTokens);
    const auto [begin, end] = by_name_.equal_range(name);
    for (auto it = begin; it != end; ++it) {
      const Entry& entry = *it->second;
      if (entry.rest.size() > behind.size() || !std::equal(entry.rest.begin(), entry.rest.end(), behind.begin())) continue;
      if (best == entries_.end() || entry.snapshot.position > best->snapshot.position) best = it->second;
    }
    if (page < full_pages(within)) name = next_name(name, behind.first(kPageTokens));
  }
  if (best == entries_.end()) return nullptr;
  entries_.splice(entries_.end(), entries_, best);
  return &best->snapshot;
}

}  // namespace codicil::kv
