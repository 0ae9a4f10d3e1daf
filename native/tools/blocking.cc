// The engine, waited for.
#include "native/tools/blocking.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>

namespace codicil::tools {

Result<Json> read_json(const std::string& path, Json::Kind kind, const char* what) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status(Code::not_found, "expected " + std::string(what) + " at " + path + ", found no readable file: check the path");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  Result<Json> json = parse_json(text);
  if (json.ok() && json.value().kind != kind)
    return Status(Code::invalid_request,
                  "expected " + std::string(what) + " in " + path + ", found another kind of value: see bench/peer/FORMATS.md");
  return json;
}

Result<std::vector<std::string>> read_texts(const std::string& path, const char* what) {
  Result<Json> list = read_json(path, Json::Kind::array, what);
  if (!list.ok()) return list.status();
  std::vector<std::string> texts;
  for (Json& item : list.value().items) {
    if (item.kind != Json::Kind::string || item.string.empty())
      return Status(Code::invalid_request, "expected " + std::string(what) + " as strings of at least one character in " + path +
                                               ", found something else at place " + std::to_string(texts.size()) + ": correct the list");
    texts.push_back(std::move(item.string));
  }
  return texts;
}

Result<std::vector<Token>> read_tokens(const std::string& path) {
  Result<Json> ids = read_json(path, Json::Kind::array, "a list of token ids");
  if (!ids.ok()) return ids.status();
  std::vector<Token> tokens;
  for (const Json& id : ids.value().items) {
    if (id.kind != Json::Kind::number || id.number != std::floor(id.number) || id.number < 0 || id.number > std::numeric_limits<Token>::max())
      return Status(Code::invalid_request, "expected whole numbers of 0 or more in " + path + ", found something else at place " +
                                               std::to_string(tokens.size()) + ": write the ids of a tokenizer");
    tokens.push_back(static_cast<Token>(id.number));
  }
  if (tokens.empty()) return Status(Code::invalid_request, "expected at least one token id in " + path + ", found an empty list");
  return tokens;
}

std::future<Status> sync(Session& session, std::vector<Token> prefix, SyncOptions options) {
  auto promise = std::make_shared<std::promise<Status>>();
  session.sync(std::move(prefix), std::move(options), {},
               [promise](Result<SyncReport> report) { promise->set_value(report.ok() ? Status() : report.status()); });
  return promise->get_future();
}

std::future<Result<Generated>> generate(Session& session, GenerateOptions options, std::function<void(Token, std::string_view)> on_text) {
  auto promise = std::make_shared<std::promise<Result<Generated>>>();
  session.generate(std::move(options), std::move(on_text), [promise](Result<Generated> result) { promise->set_value(std::move(result)); });
  return promise->get_future();
}

std::vector<Token> joined(std::vector<Token> a, const std::vector<Token>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Result<std::vector<Token>> question_tokens(const Engine& engine, const std::string& question) {
  std::vector<Token> out;
  const std::pair<std::string, bool> pieces[] = {
      {"<|im_start|>user\n", true}, {"Question: " + question, false}, {"<|im_end|>\n<|im_start|>assistant\n", true}};
  for (const auto& [text, special] : pieces) {
    Result<std::vector<Token>> part = engine.tokenize(text, special);
    if (!part.ok()) return part;
    out = joined(std::move(out), part.value());
  }
  return out;
}

const char* stop_name(const Generated& g) { return g.end == Generated::End::end_token ? "end" : "length"; }

void write_steps(JsonWriter& out, const Generated& g) {
  out.key("steps").open('[');
  for (const auto& step : g.top) {
    out.open('[');
    for (const TopLogit& c : step) out.open('[').value(static_cast<std::int64_t>(c.token)).value(static_cast<double>(c.logit)).close();
    out.close();
  }
  out.close();
}

void write_ids(JsonWriter& out, const std::vector<Token>& ids) {
  out.open('[');
  for (const Token id : ids) out.value(static_cast<std::int64_t>(id));
  out.close();
}

}  // namespace codicil::tools
