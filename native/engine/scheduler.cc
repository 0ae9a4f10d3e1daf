// The scheduler: the queue of jobs, their beginning and their end, cancelling. See scheduler.h.
//
// Leaves what goes into a step to batching.cc, what its rows mean to settling.cc, arithmetic to native/model, pages to native/kv.
// Rule that must stay true: a session has at most one job in a step, and its page table is touched by the driver thread only while that job runs.
#include "native/engine/scheduler.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace codicil {

namespace {

Status cancelled() {
  return Status(Code::cancelled, "expected the job to run to its end, found that it was stopped by the caller: start it again if it is still wanted");
}

}  // namespace

void RateMeter::add(std::int64_t tokens, double seconds) {
  tokens_ += static_cast<double>(tokens);
  seconds_ += seconds;
  if (seconds_ > 1) {  // older work fades by what is over a second
    tokens_ /= seconds_;
    seconds_ = 1;
  }
}

// The head was trained to look one token ahead: published acceptances fall to a half by the fourth.
constexpr std::int64_t kMostHeadGuesses = 4;
// A try costs a third of a step where a lookup costs a row, and a head that was wrong is not soon right: pauses of 1, 4, 16, 64 steps.
constexpr int kHeadPatience = 4;

Scheduler::Scheduler(const Parts& parts)
    : parts_(parts), session_restore_(parts.config, parts.snapshots), pacing_(parts.sensors), head_length_(kMostHeadGuesses, kHeadPatience) {}

Result<std::unique_ptr<Scheduler>> Scheduler::start(const Parts& parts) {
  std::unique_ptr<Scheduler> scheduler(new Scheduler(parts));
  const auto embedding = static_cast<std::size_t>(parts.config.embedding), vocab = static_cast<std::size_t>(parts.config.vocab);
  const auto get = [](AlignedBuffer& target, std::size_t floats) -> Status {
    Result<AlignedBuffer> buffer = AlignedBuffer::allocate(floats * sizeof(float));
    if (!buffer.ok()) return buffer.status();
    target = std::move(buffer).value();
    return {};
  };
  if (Status s = get(scheduler->hidden_, static_cast<std::size_t>(parts.batch_tokens) * embedding); !s.ok()) return s;
  if (Status s = get(scheduler->rows_, static_cast<std::size_t>(model::Forward::kLogitRows) * embedding); !s.ok()) return s;
  if (Status s = get(scheduler->logits_, static_cast<std::size_t>(model::Forward::kLogitRows) * vocab); !s.ok()) return s;
  scheduler->driver_ = std::thread([raw = scheduler.get()] { raw->drive(); });
  return scheduler;
}

Scheduler::~Scheduler() { shut_down(); }

// --- from any thread -------------------------------------------------------------------------------------------------------------

std::shared_ptr<SessionState> Scheduler::open_session() {
  auto session = std::make_shared<SessionState>();
  session->table = kv::PageTable::create(parts_.store);
  session->recurrent.assign(static_cast<std::size_t>(parts_.config.recurrent_floats()), 0.0f);
  const std::scoped_lock lock(mutex_);
  sessions_ += 1;
  return session;
}

void Scheduler::session_closed() {
  const std::scoped_lock lock(mutex_);
  sessions_ -= 1;
}

void Scheduler::submit(const std::shared_ptr<SessionState>& session, std::unique_ptr<Job> job) {
  {
    const std::scoped_lock lock(mutex_);
    if (!stopping_) {
      job->number = next_number_++;
      job->submitted_at = Clock::now();
      session->jobs.push_back(std::move(job));
      session->busy = true;
      queued_ += 1;
      if (!session->scheduled) {
        session->scheduled = true;
        incoming_.push_back(session);
      }
      wake_.notify_one();
      return;
    }
  }
  finish(*session, *job, Status(Code::engine_down, "expected an open engine, found that it was closed: open it again"));
}

void Scheduler::cancel(SessionState& session) {
  const std::scoped_lock lock(mutex_);
  session.cancel_below.store(next_number_);
  cancel_called_.store(true);
  wake_.notify_one();  // the driver may sleep while all jobs wait for masks
}

void Scheduler::offer_mask(SessionState& session, std::int64_t step, std::vector<std::uint32_t> bits) {
  const std::scoped_lock lock(mutex_);
  session.offered_step = step;
  session.offered_bits = std::move(bits);
  wake_.notify_one();
}

Result<std::shared_ptr<SessionState>> Scheduler::fork(SessionState& session) {
  const std::scoped_lock lock(mutex_);
  if (session.busy) return Status(Code::invalid_request, "expected a session without a running job, found one: wait for it or cancel it, then fork");
  auto copy = std::make_shared<SessionState>();
  copy->table = session.table->fork();
  copy->tokens = session.tokens;
  copy->hidden = session.hidden;
  copy->recurrent = session.recurrent;
  copy->keeping = session.keeping;
  copy->token_count.store(session.token_count.load());
  sessions_ += 1;
  return copy;
}

void Scheduler::fill(EngineStats& stats) {
  pacing_.refresh(Clock::now(), false);
  stats.machine = pacing_.telemetry();
  const std::scoped_lock lock(mutex_);
  stats.prefill_tokens_per_s = counters_.prefill_tokens_per_s;
  stats.decode_tokens_per_s = counters_.decode_tokens_per_s;
  stats.prefill_tokens = counters_.prefill_tokens;
  stats.decode_tokens = counters_.decode_tokens;
  stats.reused_tokens = counters_.reused_tokens;
  stats.first_token_ms = counters_.first_token_ms;
  stats.drafted_tokens = counters_.drafted_tokens;
  stats.accepted_tokens = counters_.accepted_tokens;
  stats.sessions = sessions_;
  stats.running = running_;
  stats.queued = queued_;
}

void Scheduler::shut_down() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  parts_.stop.store(true);
  // Who comes second waits too: what it destroys next may still be in use.
  std::call_once(joined_, [this] {
    if (driver_.joinable()) driver_.join();
  });
}

// --- the driver ------------------------------------------------------------------------------------------------------------------

void Scheduler::drive() {
  while (admit()) step();
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    active_.insert(active_.end(), std::make_move_iterator(incoming_.begin()), std::make_move_iterator(incoming_.end()));
    incoming_.clear();
  }
  // Everything that is still here ends as cancelled; callbacks can not add jobs any more.
  for (const std::shared_ptr<SessionState>& session : active_) {
    while (session->running || pop_job(*session)) finish(*session, *session->running, cancelled());
    const std::scoped_lock lock(mutex_);
    session->scheduled = false;
  }
  active_.clear();
}

bool Scheduler::admit() {
  std::unique_lock lock(mutex_);
  const auto has_work = [&] {
    return stopping_ || !incoming_.empty() || std::any_of(active_.begin(), active_.end(), [](const auto& session) { return can_go_on(*session); });
  };
  if (reads_are_held_)
    wake_.wait_until(lock, std::max(wake_at_, Clock::now() + std::chrono::milliseconds(1)), has_work);
  else
    wake_.wait(lock, has_work);
  active_.insert(active_.end(), std::make_move_iterator(incoming_.begin()), std::make_move_iterator(incoming_.end()));
  incoming_.clear();
  running_ = static_cast<int>(active_.size());
  return !stopping_ && !parts_.stop.load();
}

// False only for a session whose next step waits: for a mask that was not offered yet, or for a better reading of the sensors.
bool Scheduler::can_go_on(const SessionState& session) {
  const Job* job = session.running.get();
  if (job == nullptr || job->number < session.cancel_below.load()) return true;
  return !job->held_back && (job->awaited_step < 0 || job->awaited_step == session.offered_step);
}

bool Scheduler::pop_job(SessionState& session) {
  const std::scoped_lock lock(mutex_);
  if (session.jobs.empty()) return false;
  session.running = std::move(session.jobs.front());
  session.jobs.pop_front();
  queued_ -= 1;
  return true;
}

// A session without a job leaves the driver.
void Scheduler::retire() {
  const std::scoped_lock lock(mutex_);
  std::erase_if(active_, [&](const std::shared_ptr<SessionState>& session) {
    if (session->running || !session->jobs.empty()) return false;
    session->scheduled = false;
    return true;
  });
  running_ = static_cast<int>(active_.size());
  counters_.prefill_tokens_per_s = prefill_rate_.per_second();
  counters_.decode_tokens_per_s = decode_rate_.per_second();
}

void Scheduler::step() {
  cancel_called_.store(false);
  pacing_.refresh(Clock::now(), false);
  for (const std::shared_ptr<SessionState>& session : active_) {
    while (session->running || pop_job(*session)) {
      Job& job = *session->running;
      if (job.number < session->cancel_below.load()) {
        finish(*session, job, cancelled());
        continue;
      }
      if (!job.started) {
        job.started = true;
        job.started_at = Clock::now();
        begin(*session, job);
      }
      break;
    }
  }
  step_start_ = Clock::now();
  step_number_ += 1;
  fill_batch();
  const bool computes = !batch_.tokens.empty();
  if (computes) compute();
  consume_logits();
  if (computes) {
    const double seconds = std::chrono::duration<double>(Clock::now() - step_start_).count();
    cost_of(planned_.tokens).measured(planned_, seconds - guess_seconds_);
    pacing_.refresh(Clock::now(), true);
  }
  retire();
}

// A step may take long where a layer does not: what was cancelled meanwhile is told so now, and the step goes on for the others. The pages and
// the state that the step still writes for it are kept aside until the step ends.
void Scheduler::end_cancelled_jobs() {
  if (!cancel_called_.load(std::memory_order_relaxed)) return;
  cancel_called_.store(false);
  {
    const std::scoped_lock lock(mutex_);
    active_.insert(active_.end(), std::make_move_iterator(incoming_.begin()), std::make_move_iterator(incoming_.end()));
    incoming_.clear();
  }
  for (const std::shared_ptr<SessionState>& session : active_) {
    const auto slice = std::find_if(slices_.begin(), slices_.end(), [&](const Slice& s) { return s.session == session.get(); });
    if (session->running && session->running->number < session->cancel_below.load()) {
      if (slice != slices_.end()) { detach(*slice); }
      finish(*session, *session->running, cancelled());
    }
    // Jobs that wait behind it: cancelled ones end now, the first other one waits for the next step.
    while (!session->running && pop_job(*session)) {
      if (session->running->number >= session->cancel_below.load()) break;
      finish(*session, *session->running, cancelled());
    }
  }
}

void Scheduler::detach(Slice& slice) {
  SessionState& session = *slice.session;
  slice.session = nullptr;
  std::unique_ptr<kv::PageTable> table = session.table->fork();
  detached_.push_back({std::move(session.table), std::move(session.recurrent), std::move(session.draft_log)});
  session.table = std::move(table);
  session.hidden.clear();
  if (!parts_.config.is_recurrent()) return;
  if (!slice.state_before.empty()) {
    session.recurrent = std::move(slice.state_before);
    return;
  }
  session.recurrent.assign(static_cast<std::size_t>(parts_.config.recurrent_floats()), 0.0f);
  session_restore_.rewind(session, session.tokens, session.table->tokens());
}

void Scheduler::begin(SessionState& session, Job& job) {
  const std::int64_t context = parts_.context_tokens;
  const auto too_long = [&](std::int64_t tokens) {
    return Status(Code::context_full, "expected at most " + std::to_string(context) + " tokens in a session, found " + std::to_string(tokens) +
                                          ": shorten the text or open the model with a larger context");
  };
  for (const Token token : job.tokens) {
    if (token >= 0 && token < parts_.config.vocab) continue;
    finish(session, job,
           Status(Code::invalid_request, "expected tokens in 0.." + std::to_string(parts_.config.vocab - 1) + ", found " + std::to_string(token) +
                                             ": tokenize with this model"));
    return;
  }
  const auto count = static_cast<std::int64_t>(job.tokens.size()), held = static_cast<std::int64_t>(session.tokens.size());
  switch (job.kind) {
    case Job::Kind::sync:
      if (count > context) return finish(session, job, too_long(count));
      if (Status status = SessionRestore::check(job.keeping, count); !status.ok()) return finish(session, job, status);
      return begin_sync(session, job);
    case Job::Kind::evaluate:
      if (count > context) return finish(session, job, too_long(count));
      job.feed = job.tokens;
      if (count == 0) finish(session, job, {});
      return;
    case Job::Kind::score:
      if (held + count > context) return finish(session, job, too_long(held + count));
      if (count == 0) return finish(session, job, {});
      break;
    case Job::Kind::generate:
      if (Status status = check_options(job.options, parts_.config.vocab); !status.ok()) return finish(session, job, status);
      job.generation.emplace(std::move(job.options), parts_.tokenizer, parts_.ops, parts_.config.end_tokens);
      if (held < context) break;
      (void)job.generation->stop(Generated::End::context_full);
      return finish(session, job, {});
  }
  if (held == 0)
    return finish(session, job,
                  Status(Code::invalid_request, "expected a session that holds at least one token, found an empty one: call sync first"));
  begin_reading(session, job);
}

void Scheduler::begin_sync(SessionState& session, Job& job) {
  const std::int64_t reused = session_restore_.restore(session, job.tokens, job.keeping);
  session.tokens = std::move(job.tokens);
  job.reused_tokens = reused;
  session.token_count.store(static_cast<std::int64_t>(session.tokens.size()));
  job.feed.assign(session.tokens.begin() + reused, session.tokens.end());
  job.rows_from = job.keep_row = job.feed.size() - 1;  // with an empty feed the job ends here
  {
    const std::scoped_lock lock(mutex_);
    counters_.reused_tokens += static_cast<std::uint64_t>(reused);
  }
  if (job.feed.empty()) return finish(session, job, {});
  if (job.on_progress) job.on_progress({reused, static_cast<std::int64_t>(session.tokens.size())});
}

void Scheduler::begin_reading(SessionState& session, Job& job) {
  const auto held = static_cast<std::int64_t>(session.tokens.size());
  job.held_tokens = held;
  if (session.table->tokens() == held && session.hidden.empty()) {
    // Whole pages were restored: their last token is run again for its hidden state.
    session_restore_.rewind(session, session.tokens, held - 1);
  }
  if (job.kind == Job::Kind::score) job.held_recurrent.clear();
  job.feed.assign(session.tokens.begin() + session.table->tokens(), session.tokens.end());
  job.row_ready = job.feed.empty();
  job.keep_row = job.feed.empty() ? Job::kNone : job.feed.size() - 1;
  job.rows_from = job.feed.empty() ? 0 : job.keep_row;
  if (job.kind == Job::Kind::score) job.feed.insert(job.feed.end(), job.tokens.begin(), job.tokens.end() - 1);
}

void Scheduler::finish(SessionState& session, Job& job, const Status& status) {
  // The job lives until its callback returned; the session is free for its next job before. A job from submit() never ran here.
  std::unique_ptr<Job> owner;
  const auto leave = [&] {
    if (job.number == 0) return;
    const std::scoped_lock lock(mutex_);
    if (job.kind == Job::Kind::generate) session.offered_step = -1;
    owner = std::move(session.running);
    session.busy = !session.jobs.empty();
  };
  switch (job.kind) {
    case Job::Kind::sync: {
      if (!status.ok() && job.started) {
        session.tokens.resize(static_cast<std::size_t>(session.table->tokens()));
        session.token_count.store(session.table->tokens());
        session.hidden.clear();
      }
      leave();
      if (!status.ok()) return job.on_synced(status);
      const auto held = static_cast<std::int64_t>(session.tokens.size());
      return job.on_synced(
          SyncReport{job.reused_tokens, held - job.reused_tokens, std::chrono::duration<double, std::milli>(Clock::now() - job.started_at).count()});
    }
    case Job::Kind::generate: {
      const bool stopped = status.code() == Code::cancelled;
      std::string rest;
      if (stopped && !job.generation) job.generation.emplace(std::move(job.options), parts_.tokenizer, parts_.ops, parts_.config.end_tokens);
      if (stopped) rest = job.generation->stop(Generated::End::cancelled).text;
      if (status.ok()) session_restore_.keep_end(session);
      leave();
      if (!rest.empty() && job.on_text) job.on_text(-1, rest);
      if (!status.ok() && !stopped) return job.on_generated(status);
      return job.on_generated(job.generation->take_result());
    }
    case Job::Kind::score: {
      if (job.held_tokens > 0 && session.table->tokens() > job.held_tokens) {
        session.table->truncate(job.held_tokens);
        session.recurrent.swap(job.held_recurrent);
      }
      leave();
      if (!status.ok()) return job.on_scored(status);
      return job.on_scored(std::move(job.logprobs));
    }
    case Job::Kind::evaluate: {
      leave();
      return job.on_evaluated(status);
    }
  }
}

}  // namespace codicil
