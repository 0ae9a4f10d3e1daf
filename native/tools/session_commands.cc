// engine-cli session: one long session, as a person has it: read the documents, ask, close; open again, ask again.
//
// Owns: what is timed and counted. `--rate` reads the store's files once more, one after the other past the system's cache, so that a warm start can
// be judged by what the disk gives (bench/engine/longsession.mjs). Leaves the engine to engine.h; says nothing of quality: tokens are made up.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "native/base/disk_queue.h"
#include "native/base/file.h"
#include "native/tools/commands.h"

namespace codicil::tools {

namespace {

namespace fs = std::filesystem;

// Varied tokens without long repeats, the same in every run.
std::vector<Token> made_up_tokens(std::int64_t count, std::int64_t vocab, std::uint64_t seed) {
  std::vector<Token> out;
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's linear congruential generator
    out.push_back(static_cast<Token>((state >> 33) % static_cast<std::uint64_t>(std::min<std::int64_t>(vocab, 256))));
  }
  return out;
}

struct Asked {
  SyncReport report;
  Generated answer;
  double first_token_seconds = 0, seconds = 0;
  kv::StoreStats at_first_token;
};

Result<Asked> ask(const Engine& engine, Session& session, std::vector<Token> prefix, std::int64_t max_tokens) {
  Asked out;
  GenerateOptions options;
  options.max_tokens = max_tokens;
  options.top_logits = 4;
  std::promise<Result<SyncReport>> synced;
  const Clock::time_point start = Clock::now();
  Clock::time_point first{};
  session.sync(std::move(prefix), {}, [&](Result<SyncReport> report) { synced.set_value(std::move(report)); });
  const auto on_text = [&](Token, std::string_view) {
    if (first != Clock::time_point{}) return;
    first = Clock::now();
    out.at_first_token = engine.stats().kv;  // the next step has not begun
  };
  const Result<Generated> answer = generate(session, std::move(options), on_text).get();
  const Result<SyncReport> report = synced.get_future().get();
  if (!report.ok()) return report.status();
  if (!answer.ok()) return answer.status();
  out.report = report.value();
  out.answer = answer.value();
  out.first_token_seconds = seconds_between(start, first == Clock::time_point{} ? Clock::now() : first);
  out.seconds = seconds_between(start, Clock::now());
  return out;
}

// The most memory that this process ever had, as the system counted it.
std::uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::strtoull(line.c_str() + 6, nullptr, 10) << 10;
  return 0;
}

struct Rate {
  std::uint64_t bytes = 0;
  double seconds = 0;
};

Result<Rate> read_all_pages(const std::string& folder) {
  std::vector<std::string> files;
  std::uint64_t largest = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".page") continue;
    files.push_back(it->path().string());
    largest = std::max<std::uint64_t>(largest, it->file_size(error));
  }
  Result<AlignedBuffer> buffer = AlignedBuffer::allocate(largest + 2 * kDirectAlign);
  if (!buffer.ok()) return buffer.status();
  std::byte* begin = buffer.value().data();
  begin += (kDirectAlign - reinterpret_cast<std::uintptr_t>(begin) % kDirectAlign) % kDirectAlign;
  Rate out;
  const Clock::time_point start = Clock::now();
  for (const std::string& path : files) {
    const std::uint64_t bytes = fs::file_size(path, error);
    const int file = open_for_reading(path, is_direct(begin, 0, bytes));
    const bool ok = file >= 0 && read_fully(file, 0, {begin, bytes});
    if (file >= 0) ::close(file);
    if (!ok) return Status(Code::io_failed, "expected to read " + path + ", found that the system refused: check the disk");
    out.bytes += bytes;
  }
  out.seconds = seconds_between(start, Clock::now());
  return out;
}

}  // namespace

Status session_command(const Arguments& a, Engine& engine, JsonWriter& out) {
  const std::int64_t question_tokens = a.number("--question-tokens", 24), vocab = engine.model().vocab;
  std::vector<Token> document;
  if (a.has("--tokens")) {
    Result<std::vector<Token>> tokens = read_tokens(a.text("--tokens"));
    if (!tokens.ok()) return tokens.status();
    document = std::move(tokens).value();
  } else {
    document = made_up_tokens(a.number("--length", 4096), vocab, 1);
  }
  Result<std::unique_ptr<Session>> opened = engine.open_session();
  if (!opened.ok()) return opened.status();
  out.open('{').field("documentTokens", static_cast<std::int64_t>(document.size())).key("questions").open('[');
  kv::StoreStats before = engine.stats().kv;
  for (std::int64_t q = 0; q < a.number("--ask", 2); ++q) {
    Result<Asked> asked = ask(engine, *opened.value(), joined(document, made_up_tokens(question_tokens, vocab, static_cast<std::uint64_t>(q) + 100)),
                              a.number("--max", 8));
    if (!asked.ok()) return asked.status();
    const Asked& r = asked.value();
    const kv::StoreStats now = engine.stats().kv;
    out.open('{').field("reusedTokens", r.report.reused_tokens).field("computedTokens", r.report.computed_tokens);
    out.field("syncSeconds", r.report.ms / 1000).field("firstTokenSeconds", r.first_token_seconds).field("seconds", r.seconds);
    out.field("firstTokenReadBytes", r.at_first_token.disk_read_bytes - before.disk_read_bytes);
    out.field("firstTokenReadSeconds", r.at_first_token.disk_read_seconds - before.disk_read_seconds);
    out.field("readBytes", now.disk_read_bytes - before.disk_read_bytes).field("readSeconds", now.disk_read_seconds - before.disk_read_seconds);
    out.field("waitSeconds", now.disk_wait_seconds - before.disk_wait_seconds)
        .field("writtenBytes", now.disk_written_bytes - before.disk_written_bytes);
    out.key("ids");
    write_ids(out, r.answer.tokens);
    write_steps(out, r.answer);
    out.close();
    before = now;
  }
  out.close();
  const EngineStats stats = engine.stats();
  out.field("ramBudgetBytes", stats.kv.budget_bytes).field("ramPagesBytes", stats.kv.bytes_by_tier[static_cast<std::size_t>(kv::Tier::ram)]);
  out.field("ringBytes", stats.kv.ring_bytes).field("liveSsdPages", stats.kv.live_ssd_pages).field("damagedPages", stats.kv.disk_damaged_pages);
  out.field("weightBytes", stats.weight_bytes).field("scratchBytes", stats.scratch_bytes);
  out.field("residentBytes", stats.resident_bytes).field("peakBytes", peak_bytes()).field("queue", stats.kv.disk_queue);
  if (a.has("--rate")) {
    const Result<Rate> rate = read_all_pages(a.text("--store"));
    if (!rate.ok()) return rate.status();
    out.key("plainRead").open('{').field("bytes", rate.value().bytes).field("seconds", rate.value().seconds).close();
  }
  out.close();
  return {};
}

}  // namespace codicil::tools
