// What goes into a step: answers first, one token and its guesses each, then reading in chunks that fit into the time that is left.
//
// Owns: the order of sessions, the share of each, the length of a step. Leaves what a step costs to step_cost.h, what the machine bears to pacing.h.
// Rules that must stay true: a step beside an answer is short enough that nobody sees the answer stall, at any depth; who waits longest among
// equals comes first; batch work always gets a share, so it ends; a step that has anything to do does something.
#include <algorithm>

#include "native/engine/scheduler.h"

namespace codicil {

namespace {

// A person sees text stop after about a fifth of a second; a step beside an answer is planned for much less than half of that: the machine is shared,
// and of a thousand steps some take twice and more what steps like them took (engine-cli soak).
constexpr double kAnswerStepSeconds = 0.075;
// A step of reading alone: long enough that weights are read once for hundreds of tokens, short enough that a question that comes in between
// does not wait.
constexpr double kReadStepSeconds = 0.25;
// But a large model takes longer than that to read its weights once: a step then lasts four times as long as they do, and an expert gets as many
// tokens as a tile of the kernels has. (A mixture of 35 B read 8 tokens at a time, each with its own eight experts.)
constexpr double kReadPerFixedCost = 4;
constexpr std::int64_t kLeastExpertTokens = 16;
// Of a step's time, what reading gets however many answers run, and what batch reading gets beside interactive reading.
constexpr double kLeastReadShare = 0.25, kLeastBatchShare = 0.125;
// Chunks below this are made only where nothing else fits: a row of few tokens reads all weights for them.
constexpr std::int64_t kLeastChunk = 8;
// A session with pages on SSD reads them all in every step: at 512 tokens arithmetic takes longer than a disk of 1 GB/s, at 32 the disk does.
constexpr std::int64_t kStreamedChunk = 512;
// A slice of so many tokens is worth a copy of the state before it (the copy takes about as long as one token).
constexpr std::int64_t kLeastKeptSlice = 32;
constexpr std::size_t kSpareStates = 4;  // 20 to 60 MB each
// Of the newest guess in what a guess is held to cost: about the last ten count.
constexpr double kGuessFade = 0.1;
// Before the first step of a kind was measured.
constexpr std::int64_t kFirstChunk = 128;

bool reads_from_ssd(kv::PageTable& table) {
  for (std::int64_t page = table.page_count(); page-- > 0;)  // those in front stay in memory longest
    if (table.pin(page).tier() == kv::Tier::ssd) return true;
  return false;
}

// The pages of `count` tokens from run.first_position on and of all before, held by `pins`. Those before the new positions are only read, some of
// them from SSD (null); the forward pass takes one kind of pointer.
void pin_pages(kv::PageTable& table, std::int64_t count, model::Run& run, std::vector<kv::Pin>& pins) {
  for (std::int64_t page = 0; page * kv::kPageTokens < run.first_position + count; ++page) {
    kv::Pin pin = table.pin(page);
    run.pages.push_back(page >= run.first_position / kv::kPageTokens ? pin.writable_data() : const_cast<std::byte*>(pin.data()));
    pins.push_back(std::move(pin));
  }
}

bool waits_longer(const Job& a, const Job& b) { return a.turn != b.turn ? a.turn < b.turn : a.number < b.number; }

}  // namespace

void Scheduler::fill_batch() {
  batch_.tokens.clear();
  batch_.runs.clear();
  batch_.wanted.clear();
  for (Slice& slice : slices_) {
    if (!slice.state_before.empty()) spare_states_.push_back(std::move(slice.state_before));
  }
  spare_states_.resize(std::min(spare_states_.size(), kSpareStates));
  slices_.clear();
  slice_pins_.clear();
  planned_ = {};
  guess_seconds_ = 0;
  reads_are_held_ = false;
  std::vector<Work> answers, reads;
  bool someone_reads_along = false;
  for (const std::shared_ptr<SessionState>& session : active_) {
    Job* job = session->running.get();
    if (job == nullptr) continue;
    job->held_back = false;
    if (job->left() == 0) continue;
    const Work work{session.get(), job};
    // An answer whose pages were damaged reads them again first.
    const bool behind = static_cast<std::int64_t>(session->tokens.size()) - session->table->tokens() > 1;
    if (job->left() == 1 || (job->answering && !behind))
      answers.push_back(work);
    else if (!hold_back(work))
      reads.push_back(work);
    someone_reads_along |= job->answering;
  }
  const double read_budget = std::max(kReadStepSeconds, kReadPerFixedCost * tile_cost_.fixed()) * pacing_.step_share();
  const double budget = someone_reads_along ? kAnswerStepSeconds : read_budget;
  const model::ExpertShape& experts = parts_.config.experts;
  least_chunk_ = someone_reads_along || experts.count == 0 ? kLeastChunk : std::max(kLeastChunk, kLeastExpertTokens * experts.count / experts.used);
  const std::int64_t rows = parts_.batch_tokens - (reads.empty() ? 0 : parts_.batch_tokens / 4);
  add_answers(answers, budget, rows);
  if (reads.empty()) return;
  add_reads(reads, std::max(budget - planned_by_tiles(), budget * kLeastReadShare));
}

// True: this read waits for the machine. What a recurrent session has is kept, so that nothing is lost if it waits long.
bool Scheduler::hold_back(const Work& work) {
  const bool rests = Clock::now() < rest_until_;
  const bool paused = pacing_.holds_back(work.job->priority, static_cast<std::int64_t>(work.job->left()));
  if (!rests && !paused) return false;
  wake_at_ = paused ? Clock::now() + Pacing::kReadingInterval / 4 : rest_until_;
  if (paused && parts_.config.is_recurrent() && work.job->kind == Job::Kind::sync && work.job->last_step + 1 == step_number_)
    session_restore_.keep(*work.session, work.session->table->tokens());
  work.job->held_back = reads_are_held_ = true;
  return true;
}

void Scheduler::add_answers(std::vector<Work>& answers, double budget, std::int64_t most_rows) {
  std::sort(answers.begin(), answers.end(), [](const Work& a, const Work& b) {
    return a.job->priority != b.job->priority ? a.job->priority < b.job->priority : waits_longer(*a.job, *b.job);
  });
  const auto count = static_cast<std::int64_t>(answers.size());
  answers_ = std::max<std::int64_t>(count, 1);
  // A row's share of a step in which every session has one: the more sessions, the more of its time is arithmetic.
  const double row_share = row_cost_.known() ? row_cost_.row_share(answers_) : 1.0;
  std::int64_t waiting = count;
  for (const Work& work : answers) {
    waiting -= 1;
    const std::int64_t room = most_rows - planned_.tokens - waiting;  // guesses must not push a session out of the step
    if (work.job->answering) feed_answer(*work.session, *work.job, room, row_share);
    const auto rows = static_cast<std::int64_t>(work.job->left());
    if (planned_.tokens + rows > most_rows) continue;
    StepWork with = planned_;
    with.add(work.session->table->tokens(), rows);
    if (planned_.tokens > 0 && cost_of(with.tokens).known() && predicted(with) > budget) continue;
    (void)add_slice(*work.session, *work.job, rows);
  }
}

// What the session has that its pages do not, and guesses behind it.
void Scheduler::feed_answer(SessionState& session, Job& job, std::int64_t room, double row_share) {
  job.feed.assign(session.tokens.begin() + session.table->tokens(), session.tokens.end());
  job.fed = job.drafted = 0;
  job.by_head = 0;
  job.rows_from = job.keep_row = job.feed.size() - 1;
  const Drafting wanted = job.generation->drafting();
  if (wanted == Drafting::off || parts_.drafting == Drafting::off) return;
  const auto held = static_cast<std::int64_t>(session.tokens.size());
  const std::int64_t most =
      std::min({job.generation->draft_room(), parts_.context_tokens - held - 1, room - static_cast<std::int64_t>(job.feed.size())});
  if (most <= 0) return;
  if (!job.drafter) job.drafter = std::make_unique<Drafter>(job.generation->draft_tokens());
  std::span<const Token> draft;
  // A looked-up guess costs its row only, and text that repeats itself does so at length.
  if (wanted != Drafting::mtp && parts_.drafting != Drafting::mtp) draft = job.drafter->look_up(session.tokens, most, row_share);
  if (draft.empty() && wanted != Drafting::lookup && parts_.config.mtp_layers > 0) draft = guess(session, job, most, row_share);
  draft = draft.first(job.generation->plausible(draft));
  job.drafted = draft.size();
  if (job.by_head > 0 && job.drafted == 0) head_length_.verified(job.by_head, 0);
  job.feed.insert(job.feed.end(), draft.begin(), draft.end());
}

// By the model's own head: a guess costs a layer and the output matrix, beside its row in the step that verifies it.
std::span<const Token> Scheduler::guess(SessionState& session, Job& job, std::int64_t most, double row_share) {
  kv::PageTable& table = *session.table;
  if (job.feed.size() != 1) return {};  // damaged pages are read again first
  // As if every answer of the step guessed, as row_share has it.
  const double step = row_cost_.known() ? row_cost_.seconds({answers_, 0}) : 0;
  const double share = step > 0 ? row_share + static_cast<double>(answers_) * guess_cost_ / step : 1.0;
  const std::int64_t fixed = job.generation->draft_tokens();
  const std::int64_t count = std::min(most, fixed > 0 ? fixed : guess_cost_ > 0 ? head_length_.choose(share) : 1);
  if (count <= 0 || !table.reserve(count + 1).ok()) return {};
  const Clock::time_point start = Clock::now();
  model::Run at;
  at.first_position = table.tokens();
  at.recurrent = session.recurrent.data();
  std::vector<kv::Pin> pins;
  pin_pages(table, count, at, pins);
  if (std::count(at.pages.begin(), at.pages.end(), nullptr) > 0) return {};  // on SSD: what is read for a guess would be read again for the step
  if (!parts_.forward.guess(at, job.feed[0], count, guesses_, logits_.as<float>()).ok()) return {};
  job.by_head = count;
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count(), one = seconds / static_cast<double>(count);
  guess_seconds_ += seconds;
  guess_cost_ = guess_cost_ > 0 ? guess_cost_ + kGuessFade * (one - guess_cost_) : one;
  return guesses_;
}

void Scheduler::drop_draft(Job& job) {
  job.feed.resize(job.feed.size() - job.drafted);
  job.drafted = 0;
}

void Scheduler::add_reads(std::vector<Work>& reads, double seconds) {
  const auto batch = std::stable_partition(reads.begin(), reads.end(), [](const Work& w) { return w.job->priority == Priority::interactive; });
  const std::span<Work> interactive(reads.begin(), batch), rest(batch, reads.end());
  const std::size_t before = slices_.size();
  const double at_first = planned_by_tiles();
  if (!interactive.empty()) add_reads_of(interactive, rest.empty() ? seconds : seconds * (1 - kLeastBatchShare));
  const double spent = slices_.size() > before ? planned_by_tiles() - at_first : 0;
  if (!rest.empty()) add_reads_of(rest, std::max(seconds - spent, seconds * kLeastBatchShare));
}

// Short reads first, so that a question is not kept waiting by a library that is being read; but a quarter of the time goes to whoever came
// first, so that the library is read in the end.
void Scheduler::add_reads_of(std::span<Work> reads, double seconds) {
  const auto oldest = std::min_element(reads.begin(), reads.end(), [](const Work& a, const Work& b) { return a.job->number < b.job->number; });
  std::rotate(reads.begin(), oldest, oldest + 1);
  std::sort(reads.begin() + 1, reads.end(), [](const Work& a, const Work& b) {
    return a.job->left() != b.job->left() ? a.job->left() < b.job->left() : a.job->number < b.job->number;
  });
  const auto left = [](const Work& w) { return static_cast<std::int64_t>(w.job->left()); };
  std::int64_t room = parts_.batch_tokens - planned_.tokens, others = 0;
  for (std::size_t i = 1; i < reads.size(); ++i) others += left(reads[i]);
  bool any = false;
  for (std::size_t i = 0; i < reads.size() && room > 0; ++i) {
    const Work& work = reads[i];
    const std::int64_t position = work.session->table->tokens();
    std::int64_t most = std::min(room, left(work));
    if (i == 0 && others > 0) most = std::min(most, std::max((room + 3) / 4, room - others));
    const StepCost& cost = tile_cost_;
    // Streamed weights are read once a step, and a short step reads nearly as many of them as a long one: it takes all there is room for.
    const bool whole = parts_.streams_weights;
    if (!cost.known() && !whole) most = std::min(most, kFirstChunk);
    const double used = planned_by_tiles();
    std::int64_t count = whole ? most : cost.affordable(planned_, used + seconds, position, most);
    // The first one always gets something.
    count = std::max(count, any ? 0 : std::min(most, least_chunk_));
    if (count < std::min(most, kStreamedChunk) && reads_from_ssd(*work.session->table)) count = std::min(most, kStreamedChunk);
    if (count < std::min(most, kLeastChunk)) continue;
    if (!add_slice(*work.session, *work.job, count)) continue;
    any = true;
    room -= slices_.back().count;
    seconds = std::max(seconds - (cost.seconds(planned_) - used), 0.0);
  }
}

bool Scheduler::add_slice(SessionState& session, Job& job, std::int64_t count) {
  kv::PageTable& table = *session.table;
  const std::int64_t allowed = session_restore_.until_snapshot(session, job, count);
  if (job.drafted > 0 && (allowed < count || !table.reserve(count).ok())) {  // an answer must not fail for want of room for a guess
    drop_draft(job);
    count = static_cast<std::int64_t>(job.left());
  }
  count = std::min(count, allowed);
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
  if (job.drafted > 0) {
    run.drafted = static_cast<std::int64_t>(job.drafted);
    session.draft_log.resize(static_cast<std::size_t>(parts_.forward.draft_log_floats(run.drafted)));
    run.draft_log = session.draft_log.data();
  }
  if (job.kind == Job::Kind::score && position == job.held_tokens) job.held_recurrent = session.recurrent;
  slice_pins_.push_back(pins_.size());
  pin_pages(table, count, run, pins_);
  const auto begin = job.feed.begin() + static_cast<std::ptrdiff_t>(job.fed);
  batch_.tokens.insert(batch_.tokens.end(), begin, begin + count);
  batch_.runs.push_back(std::move(run));
  const std::size_t first_row = batch_.wanted.size();
  for (std::int64_t i = 0; i < count; ++i) {
    if (job.fed + static_cast<std::size_t>(i) >= job.rows_from) batch_.wanted.push_back(batch_.runs.back().first_token + i);
  }
  slices_.push_back({&session, &job, count, first_row, batch_.wanted.size() - first_row, {}});
  if (!session.recurrent.empty() && count >= kLeastKeptSlice) {
    std::vector<float>& before = slices_.back().state_before;
    if (!spare_states_.empty()) {
      before = std::move(spare_states_.back());
      spare_states_.pop_back();
    }
    before.assign(session.recurrent.begin(), session.recurrent.end());
  }
  planned_.add(position, count);
  job.last_step = step_number_;
  job.turn = next_turn_++;
  return true;
}

}  // namespace codicil
