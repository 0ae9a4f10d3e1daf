// SnapshotStore. See snapshots.h for the rules.
//
// A prefix is looked for from its last known page down: at each page the deepest snapshot behind it, in memory before disk.
#include "native/kv/snapshots.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "native/kv/page_store.h"

namespace codicil::kv {

namespace {

std::size_t full_pages(std::size_t tokens) { return tokens / kPageTokens; }

// names[i]: of the last of the first i pages.
std::vector<PageName> chain(std::uint64_t fingerprint, std::span<const Token> tokens) {
  std::vector<PageName> names = {first_name(fingerprint)};
  for (std::size_t page = 0; page < full_pages(tokens.size()); ++page)
    names.push_back(next_name(names.back(), tokens.subspan(page * kPageTokens, kPageTokens)));
  return names;
}

}  // namespace

SnapshotStore::SnapshotStore(PageStore& store, const SnapshotShape& shape, std::uint64_t ram_budget_bytes)
    : shape_(shape), ram_budget_bytes_(ram_budget_bytes), disk_(static_cast<RamStore&>(store).disk()) {}

std::uint64_t SnapshotStore::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}
std::size_t SnapshotStore::count() const {
  const std::scoped_lock lock(mutex_);
  return entries_.size();
}

void SnapshotStore::drop(Entries::iterator entry) {
  const auto [begin, end] = after_page_.equal_range(entry->snapshot->previous);
  for (auto it = begin; it != end; ++it) {
    if (it->second != entry) continue;
    after_page_.erase(it);
    break;
  }
  bytes_ -= entry->snapshot->bytes();
  entries_.erase(entry);
}

void SnapshotStore::remember(std::shared_ptr<const Snapshot> snapshot, const std::string& owner) {
  const std::uint64_t bytes = snapshot->bytes();
  if (bytes > ram_budget_bytes_) return;
  const auto [begin, end] = after_page_.equal_range(snapshot->previous);
  const auto equal = std::find_if(begin, end, [&](const auto& known) { return known.second->snapshot->rest == snapshot->rest; });
  if (equal != end) drop(equal->second);
  while (bytes_ + bytes > ram_budget_bytes_) drop(entries_.begin());
  bytes_ += bytes;
  entries_.push_back({std::move(snapshot), owner});
  after_page_.emplace(entries_.back().snapshot->previous, std::prev(entries_.end()));
}

void SnapshotStore::put(std::span<const Token> tokens, std::span<const float> state, std::span<const float> hidden, const std::byte* last_page,
                        const std::string* owner) {
  const bool to_disk = disk_ != nullptr && owner != nullptr;
  if (!to_disk && ram_budget_bytes_ == 0) return;
  const std::span<const Token> rest = tokens.subspan(full_pages(tokens.size()) * kPageTokens);
  // Attention alone: at the end of a page the pages say it all.
  if (rest.empty() && state.empty()) return;
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->previous = chain(shape_.page.model_fingerprint, tokens).back();
  snapshot->name = snapshot_name(snapshot->previous, rest);
  if (to_disk && disk_->use(snapshot->name, *owner) && ram_budget_bytes_ == 0) return;
  snapshot->position = static_cast<std::int64_t>(tokens.size());
  snapshot->rest.assign(rest.begin(), rest.end());
  snapshot->has_hidden = !hidden.empty();
  Result<AlignedBuffer> payload = AlignedBuffer::allocate(static_cast<std::size_t>(payload_bytes(shape_, rest.size(), snapshot->has_hidden)));
  if (!payload.ok()) return;  // it is computed again
  std::byte* const data = payload.value().data();
  std::memset(data, 0, payload.value().size());
  if (!state.empty()) std::memcpy(data, state.data(), state.size_bytes());
  if (!hidden.empty()) std::memcpy(data + state.size_bytes(), hidden.data(), hidden.size_bytes());
  if (!rest.empty()) pack_rows(shape_.page, last_page, rest.size(), data + state.size_bytes() + hidden.size_bytes());
  snapshot->payload = std::move(payload).value();
  if (to_disk) disk_->write(snapshot, *owner);
  const std::scoped_lock lock(mutex_);
  remember(std::move(snapshot), owner == nullptr ? std::string() : *owner);
}

std::shared_ptr<const Snapshot> SnapshotStore::deepest_in_memory(const PageName& page, std::span<const Token> behind) {
  const std::scoped_lock lock(mutex_);
  Entries::iterator best = entries_.end();
  const auto [begin, end] = after_page_.equal_range(page);
  for (auto it = begin; it != end; ++it) {
    const std::vector<Token>& rest = it->second->snapshot->rest;
    if (rest.size() > behind.size() || !std::equal(rest.begin(), rest.end(), behind.begin())) continue;
    if (best == entries_.end() || rest.size() > best->snapshot->rest.size()) best = it->second;
  }
  if (best == entries_.end()) return nullptr;
  entries_.splice(entries_.end(), entries_, best);
  return best->snapshot;
}

std::shared_ptr<const Snapshot> SnapshotStore::find(std::span<const Token> tokens, std::int64_t above, std::int64_t limit, const std::string& owner) {
  if (!keeps() || limit <= above) return nullptr;
  const std::span<const Token> within = tokens.first(std::min(tokens.size(), static_cast<std::size_t>(limit)));
  const std::vector<PageName> names = chain(shape_.page.model_fingerprint, within);
  for (std::size_t page = names.size(); page-- > 0;) {
    const auto at = static_cast<std::int64_t>(page) * kPageTokens;
    if (at + kPageTokens - 1 <= above) return nullptr;
    const std::span<const Token> behind = within.subspan(page * kPageTokens);
    for (;;) {
      std::shared_ptr<const Snapshot> known = deepest_in_memory(names[page], behind);
      const std::int64_t in_memory = known == nullptr ? -1 : static_cast<std::int64_t>(known->rest.size());
      const std::int64_t on_disk = disk_ == nullptr ? -1 : disk_->deepest_snapshot(names[page], behind);
      const std::int64_t rest = std::max(in_memory, on_disk);
      if (rest < 0 || at + rest <= above) break;
      if (on_disk == rest) (void)disk_->use(snapshot_name(names[page], behind.first(static_cast<std::size_t>(rest))), owner);
      if (in_memory >= on_disk) return known;
      known = disk_->read_snapshot(names[page], behind.first(static_cast<std::size_t>(on_disk)));
      if (known != nullptr) {
        const std::scoped_lock lock(mutex_);
        remember(known, owner);
        return known;
      }
      if (disk_->deepest_snapshot(names[page], behind) == on_disk) break;  // sound, but of other tokens
    }
  }
  return nullptr;
}

void SnapshotStore::forget_owner(const std::string& owner) {
  const std::scoped_lock lock(mutex_);
  for (auto it = entries_.begin(); it != entries_.end();) {
    const auto entry = it++;
    if (entry->owner == owner) drop(entry);
  }
}

}  // namespace codicil::kv
