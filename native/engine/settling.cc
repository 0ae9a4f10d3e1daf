// What the rows of a step mean: pages committed, logits made, tokens chosen, guesses verified, jobs ended.
//
// Leaves what goes into a step to batching.cc, choosing a token to generation.cc.
// Rule that must stay true: a guess that did not come true leaves no trace: its keys are not committed and the recurrent state never saw it;
// what a session holds after a step is what it would hold had every token been computed alone.
#include <algorithm>
#include <cstring>

#include "native/engine/scheduler.h"

namespace codicil {

void Scheduler::compute() {
  const Status ran = run_step();
  pins_.clear();
  if (!ran.ok()) return fail_step(ran);
  std::int64_t decoded = 0, prefilled = 0;
  for (Slice& slice : slices_) {
    if (slice.session != nullptr) settle_slice(slice, decoded, prefilled);
  }
  detached_.clear();
  const double seconds = std::chrono::duration<double>(Clock::now() - step_start_).count();
  const double all = static_cast<double>(decoded + prefilled);
  if (prefilled > 0) prefill_rate_.add(prefilled, seconds * static_cast<double>(prefilled) / all);
  if (decoded > 0) decode_rate_.add(decoded, seconds * static_cast<double>(decoded) / all);
  // After reading, a machine that asked for it gets its rest.
  if (const double rest = pacing_.rest_share(); prefilled > 0 && rest > 0)
    rest_until_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds * rest, 1.0)));
  const std::scoped_lock lock(mutex_);
  counters_.prefill_tokens += static_cast<std::uint64_t>(prefilled);
}

// Weights could not be read while the step ran, or the engine closes. The step's sessions hold what they held before it; a recurrent one, whose
// state was written over, goes back to the last state that is known.
void Scheduler::fail_step(const Status& status) {
  for (const Slice& slice : slices_) {
    if (slice.session == nullptr) continue;
    SessionState& session = *slice.session;
    const auto known = std::min<std::int64_t>(session.table->tokens(), static_cast<std::int64_t>(session.tokens.size()));
    if (parts_.config.is_recurrent()) session_restore_.rewind(session, session.tokens, known);
    session.hidden.clear();
    finish(session, *slice.job, status);
  }
  detached_.clear();
}

void Scheduler::settle_slice(Slice& slice, std::int64_t& decoded, std::int64_t& prefilled) {
  SessionState& session = *slice.session;
  Job& job = *slice.job;
  const auto embedding = static_cast<std::size_t>(parts_.config.embedding);
  if (recover(slice, static_cast<std::int32_t>(&slice - slices_.data()))) {
    if (session.running) session.running->drafted = 0;
    return;
  }
  const std::int64_t sure = slice.count - static_cast<std::int64_t>(job.drafted);
  (job.answering ? decoded : prefilled) += sure;
  session.table->commit(std::span(job.feed).subspan(job.fed, static_cast<std::size_t>(sure)));
  const std::size_t first_wanted = job.fed + static_cast<std::size_t>(slice.count) - slice.rows;
  job.fed += static_cast<std::size_t>(slice.count);
  for (std::size_t r = 0; r < slice.rows; ++r) {
    const float* row = hidden_.as<float>() + (slice.first_row + r) * embedding;
    if (first_wanted + r == job.keep_row) session.hidden.assign(row, row + embedding);
    if (job.kind != Job::Kind::sync) logit_rows_.push_back({&session, &job, row, r});
  }
  session_restore_.keep_snapshots(session, job, session.table->tokens() - sure);
  if (job.kind != Job::Kind::sync) return;
  if (job.on_progress) job.on_progress({session.table->tokens(), static_cast<std::int64_t>(session.tokens.size())});
  if (job.left() == 0) finish(session, job, {});
}

void Scheduler::consume_logits() {
  const auto embedding = static_cast<std::size_t>(parts_.config.embedding), vocab = static_cast<std::size_t>(parts_.config.vocab);
  for (const std::shared_ptr<SessionState>& session : active_) {
    Job* job = session->running.get();
    if (job == nullptr || !job->row_ready) continue;
    job->row_ready = false;
    logit_rows_.insert(logit_rows_.begin(), {session.get(), job, session->hidden.data()});  // before the rows of its own continuation
  }
  std::erase_if(logit_rows_, [&](const LogitRow& row) { return row.job->kind == Job::Kind::generate && wait_for_mask(*row.session, *row.job); });
  for (std::size_t done = 0; done < logit_rows_.size() && !parts_.stop.load(std::memory_order_relaxed);) {
    const std::size_t count = std::min<std::size_t>(logit_rows_.size() - done, static_cast<std::size_t>(model::Forward::kLogitRows));
    for (std::size_t i = 0; i < count; ++i) std::memcpy(rows_.as<float>() + i * embedding, logit_rows_[done + i].hidden, embedding * sizeof(float));
    parts_.forward.logits(rows_.as<float>(), static_cast<std::int64_t>(count), logits_.as<float>());
    const auto row_logits = [&](std::size_t i) { return std::span<const float>(logits_.as<float>() + i * vocab, vocab); };
    // First rows of different generations may be chosen on all threads; a row behind a guess is chosen when the guess came true.
    parts_.pool.parallel_for_stealing(0, static_cast<std::int64_t>(count), 1, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t i = begin; i < end; ++i) {
        LogitRow& row = logit_rows_[done + static_cast<std::size_t>(i)];
        if (row.session == nullptr || row.job->kind != Job::Kind::generate || row.index > 0) continue;
        row.job->generation->choose(row_logits(static_cast<std::size_t>(i)), row.session->tokens);
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      LogitRow& row = logit_rows_[done + i];
      if (row.session == nullptr) continue;
      const SessionState* session = row.session;
      if (row.job->kind == Job::Kind::generate && row.index > 0) row.job->generation->choose(row_logits(i), session->tokens);
      if (settle_row(row, row_logits(i))) continue;
      for (std::size_t later = done + i + 1; later < logit_rows_.size() && logit_rows_[later].session == session; ++later)
        logit_rows_[later].session = nullptr;
    }
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

bool Scheduler::settle_row(LogitRow& row, std::span<const float> logits) {
  SessionState& session = *row.session;
  Job& job = *row.job;
  if (job.kind == Job::Kind::evaluate) {
    job.on_row(static_cast<std::int64_t>(job.rows_done++), logits);
    if (job.rows_done < job.tokens.size()) return true;
    finish(session, job, {});
    return false;
  }
  if (job.kind == Job::Kind::score) {
    const double normalizer = parts_.ops.log_sum_exp(logits.data(), static_cast<std::int64_t>(logits.size()));
    job.logprobs.push_back(static_cast<double>(logits[static_cast<std::size_t>(job.tokens[job.rows_done])]) - normalizer);
    if (++job.rows_done < job.tokens.size()) return true;
    finish(session, job, {});
    return false;
  }
  return settle_answer(row);
}

// The token that was chosen from this row; true: it is the next guess, so the next row counts too.
bool Scheduler::settle_answer(LogitRow& row) {
  SessionState& session = *row.session;
  Job& job = *row.job;
  Generation::Outcome outcome = job.generation->accept();
  if (outcome.token >= 0) {
    session.tokens.push_back(outcome.token);
    session.hidden.clear();
    session.token_count.store(static_cast<std::int64_t>(session.tokens.size()));
    const std::scoped_lock lock(mutex_);
    counters_.decode_tokens += 1;
    if (!job.answering) counters_.first_token_ms = std::chrono::duration<double, std::milli>(Clock::now() - job.submitted_at).count();
  }
  job.answering = true;
  if (!outcome.ended && static_cast<std::int64_t>(session.tokens.size()) >= parts_.context_tokens) {
    const Generation::Outcome rest = job.generation->stop(Generated::End::context_full);
    outcome.text += rest.text;
    outcome.ended = true;
  }
  const bool goes_on = !outcome.ended && row.index < job.drafted && outcome.token == job.feed[job.feed.size() - job.drafted + row.index];
  if (!goes_on) close_draft(session, job, row.index);  // the newest token is fed by a step of its own, as ever
  // Ended without a token, the session holds what this row was made from: its state serves the next job.
  if (outcome.ended && outcome.token < 0 && row.index > 0) session.hidden.assign(row.hidden, row.hidden + parts_.config.embedding);
  if (job.on_text && (outcome.token >= 0 || !outcome.text.empty())) job.on_text(outcome.token, outcome.text);
  if (outcome.ended) {
    finish(session, job, {});
    return false;
  }
  if (goes_on) return true;
  job.feed.assign(1, outcome.token);
  job.fed = job.drafted = job.rows_from = job.keep_row = 0;
  return false;
}

// The guesses that came true become part of the session as if they had been computed one by one.
void Scheduler::close_draft(SessionState& session, Job& job, std::size_t accepted) {
  if (job.drafted == 0) return;
  const std::span<const Token> taken = std::span(job.feed).subspan(job.feed.size() - job.drafted, accepted);
  session.table->commit(taken);
  const auto guesses = static_cast<std::int64_t>(job.drafted), true_ones = static_cast<std::int64_t>(accepted);
  if (parts_.config.is_recurrent()) parts_.forward.take_over(session.draft_log.data(), guesses, true_ones, session.recurrent.data());
  decode_rate_.add(true_ones, 0);
  if (job.by_head > 0)
    head_length_.verified(job.by_head, true_ones);
  else
    job.drafter->verified(guesses, true_ones);
  const std::scoped_lock lock(mutex_);
  counters_.drafted_tokens += job.drafted;
  counters_.accepted_tokens += accepted;
  job.drafted = 0;
}

}  // namespace codicil
