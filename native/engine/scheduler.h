// Continuous batching: one driver thread that turns the jobs of all sessions into steps of the model.
//
// Owns: the driver thread, the queue, what goes into a step, counters. A step takes one token of every generating session, then
// prefill chunks, together at most `batch_tokens`. Leaves to Forward the arithmetic, to Generation what happens between logits and text.
// Rules that must stay true: callbacks run without the mutex; `done` of a job runs exactly once; an error ends one job, not the
// step; a running answer waits for at most about kDecodeStallMs of other sessions' prefill.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "native/base/threads.h"
#include "native/engine/session_restore.h"
#include "native/engine/session_state.h"
#include "native/kv/kv.h"
#include "native/kv/snapshots.h"
#include "native/model/forward.h"

namespace codicil {

// Tokens per second over about the last second of work.
class RateMeter {
 public:
  void add(std::int64_t tokens, double seconds);
  double per_second() const { return seconds_ > 0 ? tokens_ / seconds_ : 0; }

 private:
  double tokens_ = 0, seconds_ = 0;
};

class Scheduler {
 public:
  struct Parts {
    model::Forward& forward;
    const model::ModelConfig& config;
    const model::Tokenizer& tokenizer;
    const kernels::Ops& ops;
    ThreadPool& pool;
    kv::PageStore& store;
    kv::SnapshotStore& snapshots;
    std::int64_t context_tokens, batch_tokens;
  };
  static Result<std::unique_ptr<Scheduler>> start(const Parts& parts);
  ~Scheduler();

  std::shared_ptr<SessionState> open_session();
  void submit(const std::shared_ptr<SessionState>& session, std::unique_ptr<Job> job);
  void cancel(SessionState& session);
  Result<std::shared_ptr<SessionState>> fork(SessionState& session);
  void offer_mask(SessionState& session, std::int64_t step, std::vector<std::uint32_t> bits);
  void session_closed();  // for the count in stats()
  void shut_down();       // ends every job as cancelled and joins; later jobs end as engine_down at once
  void fill(EngineStats& stats) const;
  std::uint64_t scratch_bytes() const { return logits_.size() + rows_.size() + hidden_.size(); }

 private:
  explicit Scheduler(const Parts& parts) : parts_(parts), session_restore_(parts.config, parts.snapshots) {}
  struct Slice {
    SessionState* session;
    Job* job;
    std::int64_t count;
    std::size_t first_row, rows;
  };
  struct LogitRow {
    SessionState* session;
    Job* job;
    const float* hidden;
  };

  void drive();
  bool admit();                                        // waits for work; false: shutting down
  static bool can_go_on(const SessionState& session);  // with the mutex held
  bool wait_for_mask(SessionState& session, Job& job);
  void step();
  void begin(SessionState& session, Job& job);
  bool pop_job(SessionState& session);
  void begin_sync(SessionState& session, Job& job);
  void begin_reading(SessionState& session, Job& job);  // generate, score: what is missing before logits exist
  void fill_batch();
  bool add_slice(SessionState& session, Job& job, std::int64_t count);
  std::int64_t prefill_budget(bool answering) const;
  void compute();
  void begin_walk();  // streaming.cc: pages of this step that are on SSD
  bool recover(const Slice& slice, std::int32_t run);
  void consume_logits();
  void settle_row(LogitRow& row, std::span<const float> logits);
  void finish(SessionState& session, Job& job, const Status& status);
  void retire();

  const Parts parts_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<SessionState>> incoming_;  // guarded
  std::uint64_t next_number_ = 1;                       // guarded
  bool stopping_ = false, stopped_ = false;             // guarded
  int sessions_ = 0, queued_ = 0, running_ = 0;         // guarded
  EngineStats counters_;                                // guarded

  // Driver thread only.
  SessionRestore session_restore_;
  std::vector<std::shared_ptr<SessionState>> active_;
  model::Batch batch_;
  std::vector<Slice> slices_;
  std::vector<kv::Pin> pins_;            // of all slices, in their order
  std::vector<std::size_t> slice_pins_;  // [slices] where a slice's pins begin
  std::vector<LogitRow> logit_rows_;
  AlignedBuffer hidden_;  // [batch_tokens, embedding] wanted rows of this step
  AlignedBuffer rows_;    // [kLogitRows, embedding] rows that get logits
  AlignedBuffer logits_;  // [kLogitRows, vocab]
  RateMeter prefill_rate_, decode_rate_;
  std::thread driver_;
};

}  // namespace codicil
