// engine-cli ask, generate: what the engine says, one by one or as one batch.
#include <memory>

#include "native/tools/commands.h"

namespace codicil::tools {

namespace {

struct Asked {
  std::string question;
  std::size_t prompt_tokens = 0;
  std::unique_ptr<Session> session;  // of its own in a batch
  std::future<Result<Generated>> answer;
};
struct AskedDocument {
  std::string name;
  std::vector<Token> prefix;
  std::unique_ptr<Session> session;
  std::vector<Asked> questions;
};

}  // namespace

Status ask_command(const Arguments& a, Engine& engine, JsonWriter& out) {
  Result<Json> golden = read_json(a.text("--golden"), Json::Kind::array, "a list of documents with questions");
  if (!golden.ok()) return golden.status();
  GenerateOptions options;
  options.max_tokens = a.number("--max", 16);
  options.top_logits = static_cast<int>(a.number("--top", 5));
  std::vector<AskedDocument> documents;
  std::vector<std::future<Status>> read;
  for (const Json& entry : golden.value().items) {
    const Json *name = entry.find("document"), *prefix = entry.find("prefix"), *questions = entry.find("questions");
    if (name == nullptr || prefix == nullptr || questions == nullptr)
      return Status(Code::invalid_request, "expected document, prefix and questions in every entry, found one without: see bench/peer/FORMATS.md");
    AskedDocument& document = documents.emplace_back();
    document.name = name->string;
    Result<std::vector<Token>> tokens = engine.tokenize(prefix->string, true);
    if (!tokens.ok()) return tokens.status();
    document.prefix = std::move(tokens).value();
    Result<std::unique_ptr<Session>> session = engine.open_session();
    if (!session.ok()) return session.status();
    document.session = std::move(session).value();
    for (const Json& q : questions->items) {
      const Json* text = q.find("question");
      if (text == nullptr)
        return Status(Code::invalid_request, "expected a question in every entry of questions, found none: see bench/peer/FORMATS.md");
      document.questions.emplace_back().question = text->string;
    }
    read.push_back(sync(*document.session, document.prefix));
    if (!a.has("--batch")) {
      if (Status status = read.back().get(); !status.ok()) return status;
      read.pop_back();
    }
  }
  for (std::future<Status>& one : read) {
    if (Status status = one.get(); !status.ok()) return status;
  }
  for (AskedDocument& document : documents) {
    for (Asked& asked : document.questions) {
      Result<std::vector<Token>> tokens = question_tokens(engine, asked.question);
      if (!tokens.ok()) return tokens.status();
      asked.prompt_tokens = tokens.value().size();
      Session* session = document.session.get();
      if (a.has("--batch")) {
        Result<std::unique_ptr<Session>> fork = session->fork();
        if (!fork.ok()) return fork.status();
        asked.session = std::move(fork).value();
        session = asked.session.get();
      }
      std::future<Status> synced = sync(*session, joined(document.prefix, tokens.value()));
      asked.answer = generate(*session, options);
      if (a.has("--batch")) continue;
      if (Status status = synced.get(); !status.ok()) return status;
      asked.answer.wait();
    }
  }
  out.open('[');
  for (AskedDocument& document : documents) {
    out.open('{')
        .field("document", document.name)
        .field("prefixTokens", static_cast<std::int64_t>(document.prefix.size()))
        .key("questions")
        .open('[');
    for (Asked& asked : document.questions) {
      const Result<Generated> answer = asked.answer.get();
      if (!answer.ok()) return answer.status();
      const Generated& g = answer.value();
      out.open('{').field("question", asked.question).field("answer", g.text).key("ids");
      write_ids(out, g.tokens);
      out.field("stop", stop_name(g)).field("promptTokens", static_cast<std::int64_t>(asked.prompt_tokens));
      write_steps(out, g);
      out.close();
    }
    out.close().close();
  }
  out.close();
  return {};
}

Status generate_command(const Arguments& a, Engine& engine, JsonWriter& out) {
  Result<std::vector<std::string>> prompts = read_texts(a.text("--prompt-file"), "prompts");
  if (!prompts.ok()) return prompts.status();
  GenerateOptions options;
  options.max_tokens = a.number("-n", 64);
  options.top_logits = static_cast<int>(a.number("--top", 2));
  out.open('[');
  for (const std::string& prompt : prompts.value()) {
    Result<std::vector<Token>> tokens = engine.tokenize(prompt, a.has("--special"));
    if (!tokens.ok()) return tokens.status();
    std::vector<Token> prefix = std::move(tokens).value();
    if (engine.model().add_bos && engine.model().bos >= 0) prefix.insert(prefix.begin(), engine.model().bos);
    const auto count = static_cast<std::int64_t>(prefix.size());
    Result<std::unique_ptr<Session>> session = engine.open_session();
    if (!session.ok()) return session.status();
    if (Status status = sync(*session.value(), std::move(prefix)).get(); !status.ok()) return status;
    const EngineStats before = engine.stats();
    std::vector<Clock::time_point> times;  // the first token needs no step of its own: timed is from there
    const Result<Generated> result = generate(*session.value(), options, [&](Token, std::string_view) { times.push_back(Clock::now()); }).get();
    if (!result.ok()) return result.status();
    const EngineStats after = engine.stats();
    out.open('{').field("promptTokens", count);
    out.field("decodeSeconds", times.empty() ? 0.0 : seconds_between(times.front(), times.back()));
    out.field("drafted", static_cast<std::int64_t>(after.drafted_tokens - before.drafted_tokens));
    out.field("accepted", static_cast<std::int64_t>(after.accepted_tokens - before.accepted_tokens)).key("ids");
    write_ids(out, result.value().tokens);
    out.field("text", result.value().text).field("stop", stop_name(result.value()));
    write_steps(out, result.value());
    out.close();
  }
  out.close();
  return {};
}

}  // namespace codicil::tools
