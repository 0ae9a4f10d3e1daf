// engine-cli speed, reader-speed: what bench/engine drives; formats are those of bench/peer/FORMATS.md.
#include "native/tools/commands.h"

namespace codicil::tools {

namespace {

std::vector<Token> speed_tokens(std::int64_t count, std::int64_t vocab) {
  std::vector<Token> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<Token>((1000 + i * 7919 % 20000) % vocab));
  return out;
}

// A mask that forces the given tokens: generation then costs what it costs, and its tokens are fixed.
std::shared_ptr<const TokenMask> forced(const std::vector<Token>& tokens) {
  auto mask = std::make_shared<TokenMask>();
  mask->states.resize(tokens.size() + 1);
  for (std::size_t i = 0; i < tokens.size(); ++i) mask->states[i].edges.push_back({tokens[i], static_cast<std::int32_t>(i + 1)});
  return mask;
}

// With --store: the prefix is kept, what follows it is not.
SyncOptions keeping(const std::vector<Token>& prefix) {
  SyncOptions options;
  if (prefix.empty()) return options;
  options.keep = {static_cast<std::int64_t>(prefix.size())};
  options.owner = "bench";
  return options;
}

}  // namespace

Status speed_command(const Arguments& a, Engine& engine, JsonWriter& out) {
  const std::int64_t prefill = a.number("--prefill", 512), decode = a.number("--decode", 64), depth = a.number("--depth", 0),
                     repeat = a.number("--repeat", 3);
  const std::vector<Token> ids = speed_tokens(depth + std::max(prefill, decode + 1), engine.model().vocab);
  const std::vector<Token> before(ids.begin(), ids.begin() + depth);
  Result<std::unique_ptr<Session>> opened = engine.open_session();
  if (!opened.ok()) return opened.status();
  Session& session = *opened.value();
  std::vector<double> prefill_rates, decode_rates;
  for (std::int64_t r = 0; r <= repeat; ++r) {  // the first is the warm-up
    if (Status status = sync(session, before, keeping(before)).get(); !status.ok()) return status;
    if (prefill > 0) {
      std::vector<Token> all(ids.begin(), ids.begin() + depth + prefill);
      all[static_cast<std::size_t>(depth)] = static_cast<Token>(r);  // another first token: pages of the last repeat must not be found again
      const Clock::time_point start = Clock::now();
      if (Status status = sync(session, std::move(all), keeping(before)).get(); !status.ok()) return status;
      GenerateOptions last_logits;
      last_logits.max_tokens = 0;
      const Result<Generated> row = generate(session, last_logits).get();
      if (!row.ok()) return row.status();
      if (r > 0) prefill_rates.push_back(static_cast<double>(prefill) / seconds_between(start, Clock::now()));
    }
    if (decode == 0) continue;
    std::vector<Token> start_of_text = before;
    if (depth == 0) start_of_text.push_back(ids[0]);  // a session needs one token before logits exist
    if (Status status = sync(session, start_of_text, keeping(before)).get(); !status.ok()) return status;
    GenerateOptions options;
    options.max_tokens = decode + 1;
    options.mask = forced(std::vector<Token>(ids.begin() + depth, ids.begin() + depth + decode + 1));
    std::vector<Clock::time_point> times;  // the first token needs no step of its own: timed is from there
    const Result<Generated> result = generate(session, options, [&](Token, std::string_view) { times.push_back(Clock::now()); }).get();
    if (!result.ok()) return result.status();
    if (r > 0) decode_rates.push_back(static_cast<double>(decode) / seconds_between(times.front(), times.back()));
  }
  const EngineStats stats = engine.stats();
  out.open('{').field("threads", stats.threads).field("depth", depth).field("prefill", prefill).field("decode", decode).key("prefillTokS").open('[');
  for (const double rate : prefill_rates) out.value(rate);
  out.close().key("decodeTokS").open('[');
  for (const double rate : decode_rates) out.value(rate);
  out.close().field("system", stats.instruction_set).close();
  return {};
}

Status reader_speed_command(const Arguments& a, Engine& engine, JsonWriter& out) {
  Result<std::vector<std::string>> windows = read_texts(a.text("--windows"), "windows");
  if (!windows.ok()) return windows.status();
  Result<std::vector<std::string>> questions = read_texts(a.text("--questions"), "questions");
  if (!questions.ok()) return questions.status();
  std::vector<std::vector<Token>> prefixes, asked;
  std::int64_t window_tokens = 0, question_count = 0, answer_count = 0;
  for (const std::string& window : windows.value()) {
    Result<std::vector<Token>> tokens = engine.tokenize(window, true);
    if (!tokens.ok()) return tokens.status();
    window_tokens += static_cast<std::int64_t>(tokens.value().size());
    prefixes.push_back(std::move(tokens).value());
  }
  for (const std::string& question : questions.value()) {
    Result<std::vector<Token>> tokens = question_tokens(engine, question);
    if (!tokens.ok()) return tokens.status();
    question_count += static_cast<std::int64_t>(tokens.value().size() * prefixes.size());
    asked.push_back(std::move(tokens).value());
  }
  const Clock::time_point start = Clock::now();
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<std::future<Status>> read;
  for (const std::vector<Token>& prefix : prefixes) {
    Result<std::unique_ptr<Session>> session = engine.open_session();
    if (!session.ok()) return session.status();
    sessions.push_back(std::move(session).value());
    read.push_back(sync(*sessions.back(), prefix, keeping(prefix)));
  }
  for (std::future<Status>& one : read) {
    if (Status status = one.get(); !status.ok()) return status;
  }
  const Clock::time_point kept = Clock::now();
  const EngineStats after_windows = engine.stats();
  GenerateOptions options;
  options.max_tokens = a.number("--max", 8);
  options.top_logits = 1;
  std::vector<std::vector<std::future<Result<Generated>>>> answers(sessions.size());
  for (std::size_t w = 0; w < sessions.size(); ++w) {
    for (const std::vector<Token>& question : asked) {
      (void)sync(*sessions[w], joined(prefixes[w], question), keeping(prefixes[w]));  // a failure shows in the answer that follows
      answers[w].push_back(generate(*sessions[w], options));
    }
  }
  std::vector<std::vector<std::string>> texts(sessions.size());
  for (std::size_t w = 0; w < sessions.size(); ++w) {
    for (auto& one : answers[w]) {
      const Result<Generated> answer = one.get();
      if (!answer.ok()) return answer.status();
      texts[w].push_back(answer.value().text);
      answer_count += static_cast<std::int64_t>(answer.value().top.size());
    }
  }
  const Clock::time_point end = Clock::now();
  // Of the windows: 0 when all of them came from the store. Of the questions: their own tokens, and the last of a window where it ends a page.
  const EngineStats at_end = engine.stats();
  out.open('{')
      .field("computedWindowTokens", static_cast<std::int64_t>(after_windows.prefill_tokens))
      .field("computedQuestionTokens", static_cast<std::int64_t>(at_end.prefill_tokens - after_windows.prefill_tokens))
      .field("storeReadBytes", static_cast<std::int64_t>(at_end.kv.disk_read_bytes))
      .field("storeReadSeconds", at_end.kv.disk_read_seconds)
      .field("windows", static_cast<std::int64_t>(prefixes.size()))
      .field("windowTokens", window_tokens)
      .field("questions", static_cast<std::int64_t>(asked.size()));
  out.field("prefillSeconds", seconds_between(start, kept)).field("questionSeconds", seconds_between(kept, end));
  out.field("questionTokens", question_count).field("answerTokens", answer_count).key("answers").open('[');
  for (const auto& window : texts) {
    out.open('[');
    for (const std::string& text : window) out.value(text);
    out.close();
  }
  out.close().close();
  return {};
}

}  // namespace codicil::tools
