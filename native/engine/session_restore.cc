#include "native/engine/session_restore.h"

#include <algorithm>

namespace codicil {

namespace {

// States of a long prefill are kept at this distance: what a change in its middle costs at most to read again.
constexpr std::int64_t kSnapshotTokens = 8192;

}  // namespace

// Brings the session to the longest known prefix of `prefix`: its pages, for a recurrent model its state too. The hidden state stays only
// where the whole prefix is held already.
std::int64_t SessionRestore::restore(SessionState& session, const std::vector<Token>& prefix) {
  const std::int64_t held = session.table->tokens();
  const bool same = session.tokens == prefix;
  const std::int64_t known = session.table->restore(prefix);
  const bool extends = known >= held && std::equal(session.tokens.begin(), session.tokens.begin() + held, prefix.begin());
  if (!same || known != static_cast<std::int64_t>(prefix.size())) session.hidden.clear();
  if (!config_.is_recurrent()) return known;
  const kv::Snapshot* snapshot = snapshots_.find(prefix, known);
  if (extends && (snapshot == nullptr || snapshot->position <= held)) {
    session.table->truncate(held);  // pages further on have no state that goes with them
    return held;
  }
  rewind(session, prefix, known);
  return session.table->tokens();
}

// Puts a recurrent session back to the deepest known state of at most `limit` of these tokens, the empty one at worst.
void SessionRestore::rewind(SessionState& session, const std::vector<Token>& tokens, std::int64_t limit) {
  const kv::Snapshot* snapshot = snapshots_.find(tokens, limit);
  session.hidden.clear();
  if (snapshot == nullptr) {
    std::fill(session.recurrent.begin(), session.recurrent.end(), 0.0f);
  } else {
    session.recurrent = snapshot->state;
    if (snapshot->position == static_cast<std::int64_t>(tokens.size())) session.hidden = snapshot->hidden;
  }
  session.table->truncate(snapshot == nullptr ? 0 : snapshot->position);
}

// Where the state of a recurrent session is kept: at the end of a prefix, at the last page that a later session can find of it, and every
// kSnapshotTokens of a long one. A slice ends there, because a state is known only where a step ends.
std::int64_t SessionRestore::until_snapshot(const SessionState& session, const Job& job, std::int64_t count) const {
  if (!config_.is_recurrent()) return count;
  const std::int64_t at = session.table->tokens();
  const auto stop_at = [&](std::int64_t position) {
    if (position > at && position < at + count) count = position - at;
  };
  stop_at((at / kSnapshotTokens + 1) * kSnapshotTokens);
  if (job.kind == Job::Kind::sync) stop_at(static_cast<std::int64_t>(session.tokens.size()) / kv::kPageTokens * kv::kPageTokens);
  if (job.kind == Job::Kind::score) stop_at(job.held_tokens);
  return count;
}

void SessionRestore::keep_snapshot(SessionState& session, const Job& job) {
  if (!config_.is_recurrent() || job.kind != Job::Kind::sync) return;
  const std::int64_t at = session.table->tokens(), size = static_cast<std::int64_t>(session.tokens.size());
  if (at == size || at % kSnapshotTokens == 0 || at == size / kv::kPageTokens * kv::kPageTokens)
    snapshots_.put(std::span(session.tokens).first(static_cast<std::size_t>(at)), session.recurrent,
                   at == size ? std::span<const float>(session.hidden) : std::span<const float>());
}

}  // namespace codicil
