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
  std::int64_t restore(SessionState& session, const std::vector<Token>& prefix);
  void rewind(SessionState& session, const std::vector<Token>& tokens, std::int64_t limit);
  std::int64_t until_snapshot(const SessionState& session, const Job& job, std::int64_t count) const;
  void keep_snapshot(SessionState& session, const Job& job);

 private:
  const model::ModelConfig& config_;
  kv::SnapshotStore& snapshots_;
};

}  // namespace codicil
