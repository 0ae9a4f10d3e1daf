// What the scheduler knows of one session, and the jobs that wait in it.
//
// Owns: plain data. Threads: `jobs`, `scheduled`, `busy`, `offered_*` are guarded by the scheduler's mutex; the atomics by themselves; everything
// else belongs to the driver thread while `busy`, and to the mutex otherwise (fork reads it then).
// Rule that must stay true: table->tokens() <= tokens.size(); `hidden` is valid only when both are equal and above 0.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "native/engine/drafting.h"
#include "native/engine/engine.h"
#include "native/engine/generation.h"

namespace codicil {

struct Job {
  enum class Kind { sync, generate, score, evaluate };
  Kind kind = Kind::sync;
  std::uint64_t number = 0;  // in order of submission, over all sessions
  Priority priority = Priority::interactive;

  // The request.
  SyncOptions keeping;        // sync
  std::vector<Token> tokens;  // sync: the full prefix; score: the continuation; evaluate: the sequence
  GenerateOptions options;
  std::function<void(SyncProgress)> on_progress;
  std::function<void(Result<SyncReport>)> on_synced;
  std::function<void(Token, std::string_view)> on_text;
  std::function<void(Result<Generated>)> on_generated;
  std::function<void(Result<std::vector<double>>)> on_scored;
  std::function<void(std::int64_t, std::span<const float>)> on_row;
  std::function<void(Status)> on_evaluated;

  // What is left to feed through the model, and which of it gives rows.
  bool started = false;
  std::vector<Token> feed;
  std::size_t fed = 0;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t rows_from = 0;       // hidden states of feed[rows_from..] are wanted
  std::size_t keep_row = kNone;    // feed[keep_row] is the last token that the session holds: its state is kept for the next job
  std::size_t rows_done = 0;       // rows of logits that were consumed (score, evaluate)
  bool row_ready = false;          // generate, score: the session's own hidden state waits for its logits
  std::int64_t awaited_step = -1;  // generate: its logits wait for the mask of this step; -1: they do not

  std::int64_t held_tokens = 0;  // score: what the session held
  std::int64_t reused_tokens = 0;
  bool answering = false;       // generate: at least one token was chosen, so what is fed counts as decoding
  bool held_back = false;       // by the pace of the machine: no slice of it was taken into the last step
  std::uint64_t last_step = 0;  // in which it had a slice
  // Of all slices, the number of its last one: whose is lowest waits longest. Jobs of one step differ, so those that find no room take turns.
  std::uint64_t turn = 0;
  std::chrono::steady_clock::time_point submitted_at, started_at;
  std::optional<Generation> generation;
  std::vector<double> logprobs;
  std::vector<float> held_recurrent;  // score: the state that the session gets back

  std::size_t drafted = 0;   // generate: guesses at the end of feed
  std::int64_t by_head = 0;  // as many as the model's head made of them, also those that the mask left out; 0: they were looked up
  std::unique_ptr<Drafter> drafter;
  std::size_t left() const { return feed.size() - fed; }
};

struct SessionState {
  std::unique_ptr<kv::PageTable> table;
  std::vector<Token> tokens;
  std::vector<float> hidden;     // [embedding] of the last token, after the last norm; empty: not known
  std::vector<float> recurrent;  // [ModelConfig::recurrent_floats()] state after table->tokens() tokens
  SyncOptions keeping;           // of the last sync; also for what is generated after it

  // Recurrent models: the state does not see guesses before they came true; this is what it then needs. [Forward::draft_log_floats(guesses)]
  std::vector<float> draft_log;

  std::unique_ptr<Job> running;                // driver only; null: none, or just finished
  std::deque<std::unique_ptr<Job>> jobs;       // waiting
  bool scheduled = false;                      // the driver has it in a list
  bool busy = false;                           // a job runs or waits; false already when the last job's `done` is called, so that it may fork
  std::int64_t offered_step = -1;              // of the mask that was offered last; -1: none, or it was taken
  std::vector<std::uint32_t> offered_bits;     // [(vocab + 31) / 32]
  std::atomic<std::uint64_t> cancel_below{0};  // jobs with a lower number are cancelled
  std::atomic<std::int64_t> token_count{0};
};

}  // namespace codicil
