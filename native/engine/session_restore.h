// What a session need not compute: which pages and states are known for a prefix, and which are kept for the next one.
//
// Owns: bringing a session to the longest known prefix, going back inside it, and the positions at which states are kept.
// Leaves pages to native/kv, and to the scheduler when a session may be touched (only while its job runs, on the driver thread).
// Rule that must stay true: a recurrent session's state is that of exactly table->tokens() tokens, before and after every call.
#pragma once

#include <cstdint>
#include <vector>

#include "native/engine/session_state.h"
#include "native/kv/snapshots.h"
#include "native/model/config.h"

namespace codicil {

class SessionRestore {
 public:
  SessionRestore(const model::ModelConfig& config, kv::SnapshotStore& snapshots) : config_(config), snapshots_(snapshots) {}
  // invalid_request when the positions or the owner have no meaning.
  static Status check(const SyncOptions& options, std::int64_t tokens);
  // Brings the session to the longest known prefix of `prefix` and returns its length. The hidden state is there only for the whole of it.
  std::int64_t restore(SessionState& session, const std::vector<Token>& prefix, const SyncOptions& options);
  // Puts a session back to the deepest known place of at most `limit` of these tokens.
  void rewind(SessionState& session, const std::vector<Token>& tokens, std::int64_t limit);
  // How many of the next `count` tokens a step may take at most: a recurrent state is known only where a step ends.
  std::int64_t until_snapshot(const SessionState& session, const Job& job, std::int64_t count) const;
  void keep_snapshots(SessionState& session, const Job& job, std::int64_t before);  // after a step that began with `before` tokens
  // After the first `position` tokens that the table holds; of a recurrent session all of them.
  void keep(SessionState& session, std::int64_t position);
  void keep_end(SessionState& session);  // of a sync without a list, or of a turn after it

 private:
  bool apply(SessionState& session, const std::vector<Token>& tokens, const kv::Snapshot& snapshot);
  static void reset(SessionState& session);  // to no tokens
  const model::ModelConfig& config_;
  kv::SnapshotStore& snapshots_;
};

}  // namespace codicil
