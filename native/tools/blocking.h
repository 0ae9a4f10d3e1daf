// The engine, waited for: what every command needs of files, sessions and JSON.
#pragma once

#include <functional>
#include <future>
#include <string>
#include <vector>

#include "native/engine/engine.h"
#include "native/tools/json.h"

namespace codicil::tools {

// `what` names the expected content in the error's sentence.
Result<Json> read_json(const std::string& path, Json::Kind kind, const char* what);
Result<std::vector<std::string>> read_texts(const std::string& path, const char* what);  // a JSON list of strings, none empty
Result<std::vector<Token>> read_tokens(const std::string& path);                         // a JSON list of token ids

std::future<Status> sync(Session& session, std::vector<Token> prefix, SyncOptions options = {});
std::future<Result<Generated>> generate(Session& session, GenerateOptions options, std::function<void(Token, std::string_view)> on_text = {});

std::vector<Token> joined(std::vector<Token> a, const std::vector<Token>& b);
Result<std::vector<Token>> question_tokens(const Engine& engine, const std::string& question);  // in the Reader's format 1

const char* stop_name(const Generated& g);
void write_steps(JsonWriter& out, const Generated& g);
void write_ids(JsonWriter& out, const std::vector<Token>& ids);

}  // namespace codicil::tools
