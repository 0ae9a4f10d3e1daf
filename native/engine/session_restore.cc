// SessionRestore. See session_restore.h for the rule.
//
// Attention alone needs pages and the rows behind the last of them; those of any earlier position are still there after a step, so its snapshots are
// taken when a step has passed them. A recurrent state is only known where a step ends, so steps end there.
#include "native/engine/session_restore.h"

#include <algorithm>
#include <cassert>

namespace codicil {

namespace {

// States of a long prefill are kept at this distance: what a change in its middle costs at most to read again.
constexpr std::int64_t kSnapshotTokens = 8192;

kv::Keeping keeping_of(const SyncOptions& options) {
  kv::Keeping out;
  out.owner = options.owner;
  if (options.keep) out.until = options.keep->empty() ? 0 : *std::max_element(options.keep->begin(), options.keep->end());
  return out;
}

// Null: what a session knows at this position stays in memory.
const std::string* owner_at(const SyncOptions& options, std::int64_t position) {
  return keeping_of(options).keeps(position) ? &options.owner : nullptr;
}

}  // namespace

Status SessionRestore::check(const SyncOptions& options, std::int64_t tokens) {
  if (!options.owner.empty() && !kv::is_owner(options.owner))
    return Status(Code::invalid_request,
                  "expected an owner of at most 64 letters, digits, - and _, found \"" + options.owner.substr(0, 80) + "\": use the document's id");
  for (const std::int64_t position : options.keep.value_or(std::vector<std::int64_t>())) {
    if (position > 0 && position <= tokens) continue;
    return Status(Code::invalid_request, "expected positions to keep in 1.." + std::to_string(tokens) + ", found " + std::to_string(position) +
                                             ": they are ends of parts of the prefix");
  }
  return {};
}

std::int64_t SessionRestore::restore(SessionState& session, const std::vector<Token>& prefix, const SyncOptions& options) {
  session.keeping = options;
  session.table->set_keeping(keeping_of(options));
  const std::int64_t held = session.table->tokens(), size = static_cast<std::int64_t>(prefix.size());
  const bool same = session.tokens == prefix;
  const std::int64_t known = session.table->restore(prefix);
  const bool extends = known >= held && std::equal(session.tokens.begin(), session.tokens.begin() + held, prefix.begin());
  if (!same || known != size) session.hidden.clear();
  // A snapshot behind the last known page holds the beginning of the next.
  const std::int64_t limit = std::min(size, known / kv::kPageTokens * kv::kPageTokens + kv::kPageTokens - 1);
  if (!config_.is_recurrent()) {
    if (known == size) return known;
    const std::shared_ptr<const kv::Snapshot> snapshot = snapshots_.find(prefix, known, limit, options.owner);
    if (snapshot != nullptr) (void)apply(session, prefix, *snapshot);
    return session.table->tokens();
  }
  if (extends) {
    if (held == size) return held;
    const std::shared_ptr<const kv::Snapshot> snapshot = snapshots_.find(prefix, held, limit, options.owner);
    if (snapshot == nullptr)
      session.table->truncate(held);  // pages further on have no state that goes with them
    else if (!apply(session, prefix, *snapshot))
      reset(session);
    return session.table->tokens();
  }
  rewind(session, prefix, limit);
  return session.table->tokens();
}

void SessionRestore::rewind(SessionState& session, const std::vector<Token>& tokens, std::int64_t limit) {
  session.hidden.clear();
  if (!config_.is_recurrent()) return session.table->truncate(limit);
  const std::shared_ptr<const kv::Snapshot> snapshot = snapshots_.find(tokens, 0, limit, session.keeping.owner);
  if (snapshot == nullptr || !apply(session, tokens, *snapshot)) reset(session);
}

void SessionRestore::reset(SessionState& session) {
  std::fill(session.recurrent.begin(), session.recurrent.end(), 0.0f);
  session.table->truncate(0);
}

// The table holds the full pages before the snapshot. False: there was no page for the rows behind them.
bool SessionRestore::apply(SessionState& session, const std::vector<Token>& tokens, const kv::Snapshot& snapshot) {
  kv::PageTable& table = *session.table;
  const kv::SnapshotShape& shape = snapshots_.shape();
  const auto rest = static_cast<std::int64_t>(snapshot.rest.size()), full = snapshot.position - rest;
  if (table.tokens() >= snapshot.position) {
    table.truncate(snapshot.position);
  } else {
    assert(table.tokens() >= full);
    table.truncate(full);
    if (rest > 0) {
      if (!table.reserve(rest).ok()) return false;
      kv::unpack_rows(shape.page, snapshot.rows(shape), snapshot.rest.size(), table.pin(full / kv::kPageTokens).writable_data());
      table.commit(snapshot.rest);
    }
  }
  const std::span<const float> state = snapshot.state(shape), hidden = snapshot.hidden(shape);
  session.recurrent.assign(state.begin(), state.end());
  if (snapshot.position == static_cast<std::int64_t>(tokens.size())) session.hidden.assign(hidden.begin(), hidden.end());
  return true;
}

std::int64_t SessionRestore::until_snapshot(const SessionState& session, const Job& job, std::int64_t count) const {
  if (!config_.is_recurrent()) return count;
  const std::int64_t at = session.table->tokens();
  const auto stop_at = [&](std::int64_t position) {
    if (position > at && position < at + count) count = position - at;
  };
  stop_at((at / kSnapshotTokens + 1) * kSnapshotTokens);
  if (job.kind == Job::Kind::sync && session.keeping.keep) std::ranges::for_each(*session.keeping.keep, stop_at);
  if (job.kind == Job::Kind::score) stop_at(job.held_tokens);
  return count;
}

void SessionRestore::keep_snapshots(SessionState& session, const Job& job, std::int64_t before) {
  if (job.kind != Job::Kind::sync) return;
  const std::int64_t at = session.table->tokens();
  if (config_.is_recurrent() && at % kSnapshotTokens == 0) keep(session, at);
  // Keys and values of a position are there after it too; and where the disk was busy at first, the next sync from there tries again.
  const std::int64_t from = config_.is_recurrent() ? at : before;
  for (const std::int64_t position : session.keeping.keep.value_or(std::vector<std::int64_t>()))
    if (position >= from && position <= at) keep(session, position);
  if (at == static_cast<std::int64_t>(session.tokens.size())) keep_end(session);
}

void SessionRestore::keep_end(SessionState& session) {
  if (!session.keeping.keep && session.table->tokens() > 0) keep(session, session.table->tokens());
}

void SessionRestore::keep(SessionState& session, std::int64_t position) {
  if (!snapshots_.keeps()) return;
  kv::PageTable& table = *session.table;
  const std::span<const Token> tokens = std::span(session.tokens).first(static_cast<std::size_t>(position));
  const bool at_end = position == static_cast<std::int64_t>(session.tokens.size()) && position == table.tokens();
  kv::Pin page;
  if (position % kv::kPageTokens != 0) page = table.pin(position / kv::kPageTokens);
  if (position % kv::kPageTokens != 0 && page.tier() != kv::Tier::ram) return;  // gone to SSD in the meantime: it is there as a whole page
  snapshots_.put(tokens, session.recurrent, at_end ? std::span<const float>(session.hidden) : std::span<const float>(),
                 position % kv::kPageTokens != 0 ? page.data() : nullptr, owner_at(session.keeping, position));
}

}  // namespace codicil
