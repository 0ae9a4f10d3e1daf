// Steps whose sessions hold pages that are on SSD alone: reading them for as long as the step runs, and what happens when one is damaged.
//
// Leaves the reading to kv::LayerStream, the arithmetic to Forward. Rule that must stay true: nothing that came of a damaged page is
// committed or given out; the session goes back to the pages in front of it and computes the rest anew, as if it had never been kept.
#include "native/engine/scheduler.h"
#include "native/kv/layer_stream.h"

namespace codicil {

Status Scheduler::run_step() {
  std::vector<std::span<const kv::Pin>> runs;
  runs.reserve(slices_.size());
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const std::size_t end = i + 1 < slices_.size() ? slice_pins_[i + 1] : pins_.size();
    runs.push_back(std::span<const kv::Pin>(pins_).subspan(slice_pins_[i], end - slice_pins_[i]));
  }
  const kv::Walk walk = parts_.store.walk(runs);
  batch_.stream = walk.get();
  batch_.stop = &parts_.stop;
  return parts_.forward.run(batch_, hidden_.as<float>(), [this] { end_cancelled_jobs(); });
}

// True: the slice's results are void; its session was put back, or its job ended.
bool Scheduler::recover(const Slice& slice, std::int32_t run) {
  const std::int64_t damaged = batch_.stream == nullptr ? -1 : batch_.stream->damaged_page(run);
  if (damaged < 0) return false;
  SessionState& session = *slice.session;
  Job& job = *slice.job;
  session.table->drop_damaged(damaged);
  session.hidden.clear();
  if (job.kind == Job::Kind::score || job.kind == Job::Kind::evaluate) {
    finish(session, job,
           Status(Code::corrupt_file, "expected the stored pages of this session as they were written, found page " + std::to_string(damaged) +
                                          " damaged: ask again, it is computed anew"));
    return true;
  }
  if (parts_.config.is_recurrent()) session_restore_.rewind(session, session.tokens, session.table->tokens());
  job.reused_tokens = std::min(job.reused_tokens, session.table->tokens());
  job.feed.assign(session.tokens.begin() + session.table->tokens(), session.tokens.end());
  job.fed = 0;
  job.rows_from = job.keep_row = job.feed.size() - 1;
  return true;
}

}  // namespace codicil
