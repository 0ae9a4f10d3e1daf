// Continuous batching: one driver thread that turns the jobs of all sessions into steps of the model.
//
// Owns: the driver thread, the queue and the life of a job (scheduler.cc), what goes into a step (batching.cc), what its rows mean (settling.cc).
// Leaves to Forward the arithmetic, to Generation what happens between logits and text, to SessionRestore what need not be computed.
// Rules that must stay true: callbacks run without the mutex; `done` of a job runs exactly once; an error ends one job, not the
// step; a step beside a running answer takes at most about kAnswerStepSeconds; a cancelled job ends within a layer, whatever else the step does; all
// end within a piece of a layer when the engine closes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "native/base/threads.h"
#include "native/engine/pacing.h"
#include "native/engine/session_restore.h"
#include "native/engine/session_state.h"
#include "native/engine/step_cost.h"
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
    Drafting drafting;
    std::function<device::Telemetry()> sensors;
    bool streams_weights = false;  // every step reads weights from the disk
    std::atomic<bool>& stop;       // EngineOptions::stop
  };
  static Result<std::unique_ptr<Scheduler>> start(const Parts& parts);
  ~Scheduler();

  std::shared_ptr<SessionState> open_session();
  void submit(const std::shared_ptr<SessionState>& session, std::unique_ptr<Job> job);
  void cancel(SessionState& session);
  Result<std::shared_ptr<SessionState>> fork(SessionState& session);
  void offer_mask(SessionState& session, std::int64_t step, std::vector<std::uint32_t> bits);
  void session_closed();  // for the count in stats()
  // Gives up the step at hand, ends every job as cancelled and joins, whoever calls first; later jobs end as engine_down at once.
  void shut_down();
  void fill(EngineStats& stats);
  std::uint64_t scratch_bytes() const { return logits_.size() + rows_.size() + hidden_.size(); }

 private:
  explicit Scheduler(const Parts& parts);
  using Clock = std::chrono::steady_clock;
  struct Slice {
    SessionState* session;  // null: its job was cancelled while the step ran
    Job* job;
    std::int64_t count;  // with the guesses at its end
    std::size_t first_row, rows;
    std::vector<float> state_before;  // recurrent models, reads: where a cancelled one goes back to
  };
  struct LogitRow {
    SessionState* session;  // null: nobody waits for it any more
    Job* job;
    const float* hidden;
    std::size_t index = 0;  // generate: 0 for what follows the session's last token, 1 for what follows the first guess, ...
  };
  struct Work {
    SessionState* session;
    Job* job;
  };
  // What a step still writes for a job that was cancelled meanwhile.
  struct Detached {
    std::unique_ptr<kv::PageTable> table;
    std::vector<float> recurrent, draft_log;
  };

  // scheduler.cc
  void drive();
  bool admit();                                        // waits for work; false: shutting down
  static bool can_go_on(const SessionState& session);  // with the mutex held
  void step();
  void begin(SessionState& session, Job& job);
  bool pop_job(SessionState& session);
  void begin_sync(SessionState& session, Job& job);
  void begin_reading(SessionState& session, Job& job);  // generate, score: what is missing before logits exist
  void fail_step(const Status& status);
  void end_cancelled_jobs();  // between two layers
  void detach(Slice& slice);
  void finish(SessionState& session, Job& job, const Status& status);
  void retire();

  // batching.cc
  void fill_batch();
  void add_answers(std::vector<Work>& answers, double budget, std::int64_t most_rows);
  static void drop_draft(Job& job);
  void add_reads(std::vector<Work>& reads, double seconds);
  void add_reads_of(std::span<Work> reads, double seconds);
  bool hold_back(const Work& work);
  bool add_slice(SessionState& session, Job& job, std::int64_t count);
  void feed_answer(SessionState& session, Job& job, std::int64_t room, double row_share);
  std::span<const Token> guess(SessionState& session, Job& job, std::int64_t most, double row_share);
  StepCost& cost_of(std::int64_t tokens) { return tokens < parts_.forward.least_tile_tokens() ? row_cost_ : tile_cost_; }
  double predicted(const StepWork& work) { return cost_of(work.tokens).seconds(work); }
  // Of what is in the step, once reading joins it: answers then go by tiles too, and the fixed cost of that is theirs as well.
  double planned_by_tiles() const { return planned_.tokens > 0 ? tile_cost_.seconds(planned_) : 0; }

  Status run_step();  // streaming.cc: with the pages that are on SSD
  bool recover(const Slice& slice, std::int32_t run);

  // settling.cc
  void compute();
  void settle_slice(Slice& slice, std::int64_t& decoded, std::int64_t& prefilled);
  void consume_logits();
  bool wait_for_mask(SessionState& session, Job& job);
  bool settle_row(LogitRow& row, std::span<const float> logits);  // false: the job's further rows mean nothing
  bool settle_answer(LogitRow& row);
  void close_draft(SessionState& session, Job& job, std::size_t accepted);

  const Parts parts_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<SessionState>> incoming_;  // guarded
  std::uint64_t next_number_ = 1;                       // guarded
  bool stopping_ = false;                               // guarded
  int sessions_ = 0, queued_ = 0, running_ = 0;         // guarded
  EngineStats counters_;                                // guarded

  std::atomic<bool> cancel_called_{false};
  std::once_flag joined_;

  // Driver thread only.
  SessionRestore session_restore_;
  Pacing pacing_;  // has its own lock
  std::vector<std::shared_ptr<SessionState>> active_;
  model::Batch batch_;
  StepWork planned_;  // batch_, as far as it is filled
  std::vector<Slice> slices_;
  std::vector<kv::Pin> pins_;            // of all slices, in their order
  std::vector<std::size_t> slice_pins_;  // [slices] where a slice's pins begin
  std::vector<Detached> detached_;
  std::vector<std::vector<float>> spare_states_;  // of earlier slices, for the next ones
  std::vector<LogitRow> logit_rows_;
  AlignedBuffer hidden_;  // [batch_tokens, embedding] wanted rows of this step
  AlignedBuffer rows_;    // [kLogitRows, embedding] rows that get logits
  AlignedBuffer logits_;  // [kLogitRows, vocab]
  RateMeter prefill_rate_, decode_rate_;
  StepCost row_cost_, tile_cost_;  // of steps that go by rows, by tiles: two programs with two costs
  // The model's head: whether its guesses come true is a matter of the model more than of a text, so all answers learn it together.
  DraftLength head_length_;
  std::vector<Token> guesses_;
  double guess_cost_ = 0;                       // seconds of one guess, a fading mean; 0: none was made yet
  double guess_seconds_ = 0;                    // of this step
  std::int64_t answers_ = 0, least_chunk_ = 1;  // of this step: answers; tokens that the first read gets whatever they cost
  std::uint64_t step_number_ = 0, next_turn_ = 1;
  Clock::time_point step_start_{}, rest_until_{}, wake_at_{};  // wake_at_: when held reads are looked at again
  bool reads_are_held_ = false;
  std::thread driver_;
};

}  // namespace codicil
