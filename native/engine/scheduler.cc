// The scheduler: one driver thread that makes batches out of the jobs of all sessions.
//
// Owns: the queue, which tokens go into a step (decode first, then prefill in chunks), cancel, and calling `done` exactly once.
// Leaves arithmetic to native/model, pages to native/kv, choosing tokens to generation.cc.
// Rule that must stay true: a session has at most one job in a step, and its page table is touched by the driver thread only while that job runs.
#include "native/engine/scheduler.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace codicil {

namespace {

using Clock = std::chrono::steady_clock;

// A person sees text stop after about a fifth of a second; what the prefill of others may add to one step stays below.
constexpr double kDecodeStallMs = 150;
// Prefill beside answers goes on with at least this many tokens a step, or a slow machine would never finish reading.
constexpr std::int64_t kLeastPrefillTokens = 32;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

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
  copy->token_count.store(session.token_count.load());
  sessions_ += 1;
  return copy;
}

void Scheduler::fill(EngineStats& stats) const {
  const std::scoped_lock lock(mutex_);
  stats.prefill_tokens_per_s = counters_.prefill_tokens_per_s;
  stats.decode_tokens_per_s = counters_.decode_tokens_per_s;
  stats.prefill_tokens = counters_.prefill_tokens;
  stats.decode_tokens = counters_.decode_tokens;
  stats.reused_tokens = counters_.reused_tokens;
  stats.sessions = sessions_;
  stats.running = running_;
  stats.queued = queued_;
}

void Scheduler::shut_down() {
  {
    const std::scoped_lock lock(mutex_);
    if (stopped_) return;
    stopping_ = stopped_ = true;
    wake_.notify_one();
  }
  driver_.join();
}

// --- the driver ------------------------------------------------------------------------------------------------------------------

void Scheduler::drive() {
  while (admit()) step();
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
  wake_.wait(lock, [&] {
    return stopping_ || !incoming_.empty() || std::any_of(active_.begin(), active_.end(), [](const auto& session) { return can_go_on(*session); });
  });
  active_.insert(active_.end(), std::make_move_iterator(incoming_.begin()), std::make_move_iterator(incoming_.end()));
  incoming_.clear();
  running_ = static_cast<int>(active_.size());
  return !stopping_;
}

// False only for a session whose next step waits for a mask that was not offered yet.
bool Scheduler::can_go_on(const SessionState& session) {
  const Job* job = session.running.get();
  return job == nullptr || job->awaited_step < 0 || job->awaited_step == session.offered_step || job->number < session.cancel_below.load();
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
  for (const std::shared_ptr<SessionState>& session : active_) {
    if (!session->running && !pop_job(*session)) continue;
    Job& job = *session->running;
    if (job.number < session->cancel_below.load()) {
      finish(*session, job, cancelled());
    } else if (!job.started) {
      job.started = true;
      job.started_at = Clock::now();
      begin(*session, job);
    }
  }
  fill_batch();
  if (!batch_.tokens.empty()) compute();
  consume_logits();
  retire();
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
  const std::int64_t reused = session_restore_.restore(session, job.tokens);
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
    if (parts_.config.is_recurrent())
      session_restore_.rewind(session, session.tokens, held - 1);
    else
      session.table->truncate(held - 1);
  }
  if (job.kind == Job::Kind::score) job.held_recurrent.clear();
  job.feed.assign(session.tokens.begin() + session.table->tokens(), session.tokens.end());
  job.row_ready = job.feed.empty();
  job.keep_row = job.feed.empty() ? Job::kNone : job.feed.size() - 1;
  job.rows_from = job.feed.empty() ? 0 : job.keep_row;
  if (job.kind == Job::Kind::score) job.feed.insert(job.feed.end(), job.tokens.begin(), job.tokens.end() - 1);
}

// --- what goes into a step -------------------------------------------------------------------------------------------------------

std::int64_t Scheduler::prefill_budget(bool answering) const {
  if (!answering || prefill_rate_.per_second() <= 0) return parts_.batch_tokens;
  const auto affordable = static_cast<std::int64_t>(prefill_rate_.per_second() * kDecodeStallMs / 1000);
  return std::clamp(affordable, std::min(kLeastPrefillTokens, parts_.batch_tokens), parts_.batch_tokens);
}

void Scheduler::fill_batch() {
  batch_.tokens.clear();
  batch_.runs.clear();
  batch_.wanted.clear();
  slices_.clear();
  slice_pins_.clear();
  std::vector<std::pair<SessionState*, Job*>> prefill;
  bool answering = false;
  std::ptrdiff_t overflow = 0;
  for (const std::shared_ptr<SessionState>& session : active_) {
    if (!session->running || session->running->left() == 0) continue;
    Job& job = *session->running;
    if (job.left() > 1) {
      prefill.emplace_back(session.get(), &job);
      continue;
    }
    answering |= job.answering;
    if (static_cast<std::int64_t>(batch_.tokens.size()) < parts_.batch_tokens)
      (void)add_slice(*session, job, 1);
    else
      overflow += 1;
  }
  // More answers than a step takes: those that waited come first in the next one.
  if (overflow > 0) std::rotate(active_.begin(), active_.end() - overflow, active_.end());
  if (prefill.empty()) return;
  std::int64_t room = std::min(parts_.batch_tokens - static_cast<std::int64_t>(batch_.tokens.size()), prefill_budget(answering));
  // Short reads first, so that a question is not kept waiting by a library that is being read; but a quarter of the step goes to
  // whoever came first, so that the library is read in the end.
  const auto oldest =
      std::min_element(prefill.begin(), prefill.end(), [](const auto& a, const auto& b) { return a.second->number < b.second->number; });
  std::rotate(prefill.begin(), oldest, oldest + 1);
  std::sort(prefill.begin() + 1, prefill.end(), [](const auto& a, const auto& b) {
    return a.second->left() != b.second->left() ? a.second->left() < b.second->left() : a.second->number < b.second->number;
  });
  const auto left = [](const auto& entry) { return static_cast<std::int64_t>(entry.second->left()); };
  std::int64_t others = 0;
  for (std::size_t i = 1; i < prefill.size(); ++i) others += left(prefill[i]);
  const std::int64_t first_share = std::min(left(prefill[0]), std::max((room + 3) / 4, room - others));
  for (std::size_t i = 0; i < prefill.size() && room > 0; ++i) {
    const std::int64_t count = std::min(room, i == 0 ? first_share : left(prefill[i]));
    if (add_slice(*prefill[i].first, *prefill[i].second, count)) room -= slices_.back().count;
  }
}

bool Scheduler::add_slice(SessionState& session, Job& job, std::int64_t count) {
  kv::PageTable& table = *session.table;
  count = session_restore_.until_snapshot(session, job, count);
  if (Status status = table.reserve(count); !status.ok()) {
    // Pages that others read in this step do not leave the memory: the session comes in a later one.
    if (status.code() != Code::does_not_fit || slices_.empty()) finish(session, job, status);
    return false;
  }
  const std::int64_t position = table.tokens();
  model::Run run;
  run.first_token = static_cast<std::int64_t>(batch_.tokens.size());
  run.count = count;
  run.first_position = position;
  run.recurrent = session.recurrent.empty() ? nullptr : session.recurrent.data();
  if (job.kind == Job::Kind::score && position == job.held_tokens) job.held_recurrent = session.recurrent;
  const std::int64_t pages = (position + count + kv::kPageTokens - 1) / kv::kPageTokens;
  slice_pins_.push_back(pins_.size());
  for (std::int64_t p = 0; p < pages; ++p) {
    kv::Pin pin = table.pin(p);
    // Pages before the new positions are only read, some of them from SSD; the forward pass takes one kind of pointer.
    run.pages.push_back(p >= position / kv::kPageTokens ? pin.writable_data() : const_cast<std::byte*>(pin.data()));
    pins_.push_back(std::move(pin));
  }
  const auto begin = job.feed.begin() + static_cast<std::ptrdiff_t>(job.fed);
  batch_.tokens.insert(batch_.tokens.end(), begin, begin + count);
  batch_.runs.push_back(std::move(run));
  const std::size_t first_row = batch_.wanted.size();
  for (std::int64_t i = 0; i < count; ++i) {
    if (job.fed + static_cast<std::size_t>(i) >= job.rows_from) batch_.wanted.push_back(batch_.runs.back().first_token + i);
  }
  slices_.push_back({&session, &job, count, first_row, batch_.wanted.size() - first_row});
  return true;
}

void Scheduler::compute() {
  const Clock::time_point start = Clock::now();
  const auto embedding = static_cast<std::size_t>(parts_.config.embedding);
  begin_walk();
  parts_.forward.run(batch_, hidden_.as<float>());
  pins_.clear();
  std::int64_t decoded = 0, prefilled = 0;
  for (const Slice& slice : slices_) {
    SessionState& session = *slice.session;
    Job& job = *slice.job;
    (job.answering ? decoded : prefilled) += slice.count;
    if (recover(slice, static_cast<std::int32_t>(&slice - slices_.data()))) continue;
    session.table->commit(std::span(job.feed).subspan(job.fed, static_cast<std::size_t>(slice.count)));
    const std::size_t first_wanted = job.fed + static_cast<std::size_t>(slice.count) - slice.rows;
    job.fed += static_cast<std::size_t>(slice.count);
    for (std::size_t r = 0; r < slice.rows; ++r) {
      const float* row = hidden_.as<float>() + (slice.first_row + r) * embedding;
      if (first_wanted + r == job.keep_row) session.hidden.assign(row, row + embedding);
      if (job.kind != Job::Kind::sync) logit_rows_.push_back({&session, &job, row});
    }
    session_restore_.keep_snapshot(session, job);
    if (job.kind == Job::Kind::sync && job.on_progress) job.on_progress({session.table->tokens(), static_cast<std::int64_t>(session.tokens.size())});
    if (job.kind == Job::Kind::sync && job.left() == 0) finish(session, job, {});
  }
  const double seconds = seconds_since(start);
  const double all = static_cast<double>(decoded + prefilled);
  if (prefilled > 0) prefill_rate_.add(prefilled, seconds * static_cast<double>(prefilled) / all);
  if (decoded > 0) decode_rate_.add(decoded, seconds * static_cast<double>(decoded) / all);
  const std::scoped_lock lock(mutex_);
  counters_.prefill_tokens += static_cast<std::uint64_t>(prefilled);
  counters_.decode_tokens += static_cast<std::uint64_t>(decoded);
}

// --- logits ----------------------------------------------------------------------------------------------------------------------

void Scheduler::consume_logits() {
  const auto embedding = static_cast<std::size_t>(parts_.config.embedding), vocab = static_cast<std::size_t>(parts_.config.vocab);
  for (const std::shared_ptr<SessionState>& session : active_) {
    Job* job = session->running.get();
    if (job == nullptr || !job->row_ready) continue;
    job->row_ready = false;
    logit_rows_.insert(logit_rows_.begin(), {session.get(), job, session->hidden.data()});  // before the rows of its own continuation
  }
  std::erase_if(logit_rows_, [&](const LogitRow& row) { return row.job->kind == Job::Kind::generate && wait_for_mask(*row.session, *row.job); });
  for (std::size_t done = 0; done < logit_rows_.size();) {
    const std::size_t count = std::min<std::size_t>(logit_rows_.size() - done, static_cast<std::size_t>(model::Forward::kLogitRows));
    for (std::size_t i = 0; i < count; ++i) std::memcpy(rows_.as<float>() + i * embedding, logit_rows_[done + i].hidden, embedding * sizeof(float));
    parts_.forward.logits(rows_.as<float>(), static_cast<std::int64_t>(count), logits_.as<float>());
    const auto row_logits = [&](std::size_t i) { return std::span<const float>(logits_.as<float>() + i * vocab, vocab); };
    // Rows of one generation never meet in a step, so choosing may run on all threads.
    parts_.pool.parallel_for_stealing(0, static_cast<std::int64_t>(count), 1, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t i = begin; i < end; ++i) {
        LogitRow& row = logit_rows_[done + static_cast<std::size_t>(i)];
        if (row.job->kind == Job::Kind::generate) row.job->generation->choose(row_logits(static_cast<std::size_t>(i)), row.session->tokens);
      }
    });
    for (std::size_t i = 0; i < count; ++i) settle_row(logit_rows_[done + i], row_logits(i));
    done += count;
  }
  logit_rows_.clear();
}

// True: the step's mask is not there. The session keeps its hidden state (keep_row), and the logits are made from it when the mask comes.
bool Scheduler::wait_for_mask(SessionState& session, Job& job) {
  job.awaited_step = job.generation->awaited_step();
  if (job.awaited_step < 0) return false;
  const std::scoped_lock lock(mutex_);
  job.row_ready = session.offered_step != job.awaited_step;
  if (job.row_ready) return true;
  job.generation->set_bits(std::move(session.offered_bits));
  session.offered_bits.clear();
  session.offered_step = job.awaited_step = -1;
  return false;
}

void Scheduler::settle_row(LogitRow& row, std::span<const float> logits) {
  SessionState& session = *row.session;
  Job& job = *row.job;
  if (job.kind == Job::Kind::evaluate) {
    job.on_row(static_cast<std::int64_t>(job.rows_done++), logits);
    if (job.rows_done == job.tokens.size()) finish(session, job, {});
    return;
  }
  if (job.kind == Job::Kind::score) {
    const double normalizer = parts_.ops.log_sum_exp(logits.data(), static_cast<std::int64_t>(logits.size()));
    job.logprobs.push_back(static_cast<double>(logits[static_cast<std::size_t>(job.tokens[job.rows_done])]) - normalizer);
    if (++job.rows_done == job.tokens.size()) finish(session, job, {});
    return;
  }
  job.answering = true;
  Generation::Outcome outcome = job.generation->accept();
  if (outcome.token >= 0) {
    session.tokens.push_back(outcome.token);
    session.hidden.clear();
    session.token_count.store(static_cast<std::int64_t>(session.tokens.size()));
  }
  const bool full = static_cast<std::int64_t>(session.tokens.size()) >= parts_.context_tokens;
  if (!outcome.ended && full) {
    const Generation::Outcome rest = job.generation->stop(Generated::End::context_full);
    outcome.text += rest.text;
    outcome.ended = true;
  }
  if (job.on_text && (outcome.token >= 0 || !outcome.text.empty())) job.on_text(outcome.token, outcome.text);
  if (outcome.ended) return finish(session, job, {});
  job.feed.assign(1, outcome.token);
  job.fed = job.rows_from = job.keep_row = 0;
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
      return job.on_synced(SyncReport{job.reused_tokens, held - job.reused_tokens, seconds_since(job.started_at) * 1000});
    }
    case Job::Kind::generate: {
      const bool stopped = status.code() == Code::cancelled;
      std::string rest;
      if (stopped && !job.generation) job.generation.emplace(std::move(job.options), parts_.tokenizer, parts_.ops, parts_.config.end_tokens);
      if (stopped) rest = job.generation->stop(Generated::End::cancelled).text;
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
