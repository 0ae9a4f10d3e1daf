// engine-cli: the engine without Node. One subcommand a run; commands and formats are those of bench/peer/FORMATS.md, so that
// one bench drives llama.cpp and this program alike; `inspect` and `plan` are its own.
//
// Owns: arguments, files, JSON, and the blocking way of calling the engine. Leaves everything else to engine.h.
// Rules that must stay true: stdout carries one JSON value and nothing else; exit code 0 done, 1 it could not be done (one
// sentence on stderr), 2 wrong usage.

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <future>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "native/engine/engine.h"
#include "native/model/perplexity.h"
#include "native/model/random_model.h"
#include "native/tools/json.h"

namespace codicil::tools {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_between(Clock::time_point a, Clock::time_point b) { return std::chrono::duration<double>(b - a).count(); }

constexpr const char* kUsage =
    "Usage: engine-cli COMMAND --model FILE.gguf [options]\n"
    "  random-model  --out FILE.gguf --shape NAME [--type q4_0] [--layers N] [--vocab N] [--experts N] [--context N] [--seed 1] (no --model)\n"
    "  tokenize      --file texts.json [--special]\n"
    "  ask           --golden golden.json [--batch] [--top 5] [--max 16]\n"
    "  generate      --prompt-file prompts.json [-n 64] [--top 2] [--special]\n"
    "  logits        --tokens ids.json --out file.bin\n"
    "  speed         [--prefill 512] [--decode 64] [--depth 0] [--repeat 3]\n"
    "  reader-speed  --windows windows.json --questions questions.json [--max 8]\n"
    "  perplexity    --tokens ids.json [--against logits.bin] (KL divergence from the program that wrote it)\n"
    "  verify        --checksums FOLDER: every tensor against what was recorded at the first load\n"
    "  inspect       what the file says of itself\n"
    "  plan          [--context N]: bytes that would be used, before anything is\n"
    "Everywhere: --threads 2, --context N, --batch-tokens 512, --ram-mib N (for keys and values), --set reference|avx2|avx512,\n"
    "  --kv f16|q8_0|k8v4|q4|nf4 (format of keys and values), --store FOLDER (their pages kept on disk), --store-mib N,\n"
    "  --checksums FOLDER (of tensors, recorded at the first load, checked at every other), --second-copy FILE.gguf (read where they differ)\n"
    "Formats: bench/peer/FORMATS.md. Exit code: 0 done, 1 could not be done, 2 wrong usage.\n";

const std::set<std::string> kSwitches = {"--special", "--batch"};
const std::map<std::string, std::set<std::string>> kCommands = {
    {"tokenize", {"--file", "--special"}},
    {"ask", {"--golden", "--batch", "--top", "--max"}},
    {"generate", {"--prompt-file", "-n", "--top", "--special"}},
    {"logits", {"--tokens", "--out"}},
    {"speed", {"--prefill", "--decode", "--depth", "--repeat"}},
    {"reader-speed", {"--windows", "--questions", "--max"}},
    {"perplexity", {"--tokens", "--against"}},
    {"verify", {}},
    {"inspect", {}},
    {"plan", {}},
    {"random-model", {"--out", "--shape", "--type", "--layers", "--vocab", "--experts", "--seed"}},
};
const std::set<std::string> kEverywhere = {"--model", "--threads",   "--context",   "--batch-tokens", "--ram-mib", "--set",
                                           "--store", "--store-mib", "--checksums", "--second-copy",  "--kv"};

struct Arguments {
  std::string command;
  std::map<std::string, std::string> values;
  bool has(const std::string& name) const { return values.count(name) != 0; }
  std::string text(const std::string& name) const {
    const auto it = values.find(name);
    return it == values.end() ? std::string() : it->second;
  }
  std::int64_t number(const std::string& name, std::int64_t fallback) const {
    return has(name) ? std::strtoll(text(name).c_str(), nullptr, 10) : fallback;
  }
};

// A usage fault is told apart from a failure by its own type: main() gives it exit code 2.
struct UsageFault {
  std::string sentence;
};

std::optional<UsageFault> read_arguments(int argc, char** argv, Arguments& out) {
  if (argc < 2) return UsageFault{"Expected a command, found none."};
  out.command = argv[1];
  const auto known = kCommands.find(out.command);
  if (known == kCommands.end()) return UsageFault{"Expected one of the commands below, found " + out.command + "."};
  for (int i = 2; i < argc; ++i) {
    const std::string name = argv[i];
    if (known->second.count(name) == 0 && kEverywhere.count(name) == 0)
      return UsageFault{"Expected an option of " + out.command + ", found " + name + "."};
    if (kSwitches.count(name) != 0) {
      out.values[name] = "";
      continue;
    }
    if (i + 1 >= argc) return UsageFault{"Expected a value after " + name + ", found nothing."};
    out.values[name] = argv[++i];
  }
  for (const char* needed : {"--model", "--file", "--golden", "--prompt-file", "--tokens", "--out", "--windows", "--questions", "--shape"}) {
    const bool wanted = known->second.count(needed) != 0 || (std::strcmp(needed, "--model") == 0 && out.command != "random-model");
    if (wanted && !out.has(needed)) return UsageFault{std::string("Expected ") + needed + " for " + out.command + ", found none."};
  }
  if (out.command == "verify" && !out.has("--checksums")) return UsageFault{"Expected --checksums for verify, found none."};
  for (const char* numeric : {"--threads", "--context", "--batch-tokens", "--ram-mib", "--store-mib", "--top", "--max", "-n", "--prefill", "--decode",
                              "--depth", "--repeat", "--layers", "--vocab", "--experts", "--seed"}) {
    if (!out.has(numeric)) continue;
    const std::string value = out.text(numeric);
    if (value.empty() || value.find_first_not_of("0123456789") != std::string::npos)
      return UsageFault{std::string("Expected a whole number after ") + numeric + ", found " + value + "."};
  }
  return {};
}

EngineOptions options_of(const Arguments& a) {
  EngineOptions options;
  options.model_path = a.text("--model");
  options.threads = static_cast<int>(a.number("--threads", 2));
  options.context_tokens = a.number("--context", 0);
  options.batch_tokens = a.number("--batch-tokens", 512);
  options.ram_budget_bytes = static_cast<std::uint64_t>(a.number("--ram-mib", 0)) << 20;
  options.instruction_set = a.text("--set");
  if (a.has("--kv")) options.kv_format = a.text("--kv");
  options.store_folder = a.text("--store");
  options.checksum_folder = a.text("--checksums");
  options.second_copy = a.text("--second-copy");
  if (a.has("--store-mib")) options.store_budget_bytes = static_cast<std::uint64_t>(a.number("--store-mib", 0)) << 20;
  return options;
}

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

// --- the engine, waited for ------------------------------------------------------------------------------------------------------

std::future<Status> sync(Session& session, std::vector<Token> prefix) {
  auto promise = std::make_shared<std::promise<Status>>();
  session.sync(std::move(prefix), {}, [promise](Result<SyncReport> report) { promise->set_value(report.ok() ? Status() : report.status()); });
  return promise->get_future();
}

std::future<Result<Generated>> generate(Session& session, GenerateOptions options, std::function<void(Token, std::string_view)> on_text = {}) {
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

// --- commands --------------------------------------------------------------------------------------------------------------------

Status tokenize_command(const Arguments& a, Engine& engine, JsonWriter& out) {
  Result<Json> texts = read_json(a.text("--file"), Json::Kind::array, "a list of texts");
  if (!texts.ok()) return texts.status();
  out.open('[');
  for (const Json& text : texts.value().items) {
    Result<std::vector<Token>> tokens = engine.tokenize(text.string, a.has("--special"));
    if (!tokens.ok()) return tokens.status();
    write_ids(out, tokens.value());
  }
  out.close();
  return {};
}

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
  Result<Json> prompts = read_json(a.text("--prompt-file"), Json::Kind::array, "a list of prompts");
  if (!prompts.ok()) return prompts.status();
  GenerateOptions options;
  options.max_tokens = a.number("-n", 64);
  options.top_logits = static_cast<int>(a.number("--top", 2));
  out.open('[');
  for (const Json& prompt : prompts.value().items) {
    Result<std::vector<Token>> tokens = engine.tokenize(prompt.string, a.has("--special"));
    if (!tokens.ok()) return tokens.status();
    std::vector<Token> prefix = std::move(tokens).value();
    if (engine.model().add_bos && engine.model().bos >= 0) prefix.insert(prefix.begin(), engine.model().bos);
    const auto count = static_cast<std::int64_t>(prefix.size());
    Result<std::unique_ptr<Session>> session = engine.open_session();
    if (!session.ok()) return session.status();
    if (Status status = sync(*session.value(), std::move(prefix)).get(); !status.ok()) return status;
    const Result<Generated> result = generate(*session.value(), options).get();
    if (!result.ok()) return result.status();
    out.open('{').field("promptTokens", count).key("ids");
    write_ids(out, result.value().tokens);
    out.field("text", result.value().text).field("stop", stop_name(result.value()));
    write_steps(out, result.value());
    out.close();
  }
  out.close();
  return {};
}

Status logits_command(const Arguments& a, Engine& engine, JsonWriter& out) {
  Result<Json> ids = read_json(a.text("--tokens"), Json::Kind::array, "a list of token ids");
  if (!ids.ok()) return ids.status();
  std::vector<Token> tokens;
  for (const Json& id : ids.value().items) tokens.push_back(static_cast<Token>(id.number));
  std::ofstream file(a.text("--out"), std::ios::binary);
  const std::uint32_t head[4] = {0x31474c43u /* "CLG1" */, static_cast<std::uint32_t>(tokens.size()),
                                 static_cast<std::uint32_t>(engine.model().vocab), 0};
  file.write(reinterpret_cast<const char*>(head), sizeof head);
  const Clock::time_point start = Clock::now();
  Status status = engine.evaluate(tokens, [&](std::int64_t, std::span<const float> row) {
    file.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(row.size_bytes()));
  });
  if (!status.ok()) return status;
  file.close();
  if (!file)
    return Status(Code::io_failed, "expected to write " + a.text("--out") + ", found that the system refused: check the folder and the free space");
  out.open('{')
      .field("tokens", static_cast<std::int64_t>(tokens.size()))
      .field("vocab", engine.model().vocab)
      .field("seconds", seconds_between(start, Clock::now()))
      .close();
  return {};
}

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
    if (Status status = sync(session, before).get(); !status.ok()) return status;
    if (prefill > 0) {
      std::vector<Token> all(ids.begin(), ids.begin() + depth + prefill);
      all[static_cast<std::size_t>(depth)] = static_cast<Token>(r);  // another first token: pages of the last repeat must not be found again
      const Clock::time_point start = Clock::now();
      if (Status status = sync(session, std::move(all)).get(); !status.ok()) return status;
      GenerateOptions last_logits;
      last_logits.max_tokens = 0;
      const Result<Generated> row = generate(session, last_logits).get();
      if (!row.ok()) return row.status();
      if (r > 0) prefill_rates.push_back(static_cast<double>(prefill) / seconds_between(start, Clock::now()));
    }
    if (decode == 0) continue;
    std::vector<Token> start_of_text = before;
    if (depth == 0) start_of_text.push_back(ids[0]);  // a session needs one token before logits exist
    if (Status status = sync(session, start_of_text).get(); !status.ok()) return status;
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
  Result<Json> windows = read_json(a.text("--windows"), Json::Kind::array, "a list of windows");
  if (!windows.ok()) return windows.status();
  Result<Json> questions = read_json(a.text("--questions"), Json::Kind::array, "a list of questions");
  if (!questions.ok()) return questions.status();
  std::vector<std::vector<Token>> prefixes, asked;
  std::int64_t window_tokens = 0, question_count = 0, answer_count = 0;
  for (const Json& window : windows.value().items) {
    Result<std::vector<Token>> tokens = engine.tokenize(window.string, true);
    if (!tokens.ok()) return tokens.status();
    window_tokens += static_cast<std::int64_t>(tokens.value().size());
    prefixes.push_back(std::move(tokens).value());
  }
  for (const Json& question : questions.value().items) {
    Result<std::vector<Token>> tokens = question_tokens(engine, question.string);
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
    read.push_back(sync(*sessions.back(), prefix));
  }
  for (std::future<Status>& one : read) {
    if (Status status = one.get(); !status.ok()) return status;
  }
  const Clock::time_point kept = Clock::now();
  GenerateOptions options;
  options.max_tokens = a.number("--max", 8);
  options.top_logits = 1;
  std::vector<std::vector<std::future<Result<Generated>>>> answers(sessions.size());
  for (std::size_t w = 0; w < sessions.size(); ++w) {
    for (const std::vector<Token>& question : asked) {
      (void)sync(*sessions[w], joined(prefixes[w], question));  // a failure shows in the answer that follows
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
  out.open('{')
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

Status perplexity_command(const Arguments& a, Engine& engine, JsonWriter& out) {
  Result<Json> json = read_json(a.text("--tokens"), Json::Kind::array, "a list of token ids");
  if (!json.ok()) return json.status();
  std::vector<Token> tokens;
  for (const Json& id : json.value().items) tokens.push_back(static_cast<Token>(id.number));
  if (tokens.size() < 2)
    return Status(Code::invalid_request, "expected at least 2 tokens, found " + std::to_string(tokens.size()) + ": give a longer text");
  const auto count = static_cast<std::int64_t>(tokens.size()), vocab = engine.model().vocab;
  std::optional<model::LogitsFile> against;
  if (a.has("--against")) {
    Result<model::LogitsFile> file = model::LogitsFile::open(a.text("--against"));
    if (!file.ok()) return file.status();
    if (file.value().tokens() != count || file.value().vocab() != vocab)
      return Status(Code::invalid_request, "expected " + std::to_string(count) + " rows of " + std::to_string(vocab) + " logits in " +
                                               a.text("--against") + ", found " + std::to_string(file.value().tokens()) + " of " +
                                               std::to_string(file.value().vocab()) + ": write it from the same tokens");
    against.emplace(std::move(file).value());
  }
  model::Perplexity measured;
  std::vector<float> reference(against ? static_cast<std::size_t>(vocab) : 0);
  Status read;
  const Clock::time_point start = Clock::now();
  const Status status = engine.evaluate(tokens, [&](std::int64_t row, std::span<const float> logits) {
    if (against && read.ok()) read = against->read_row(row, reference);
    const bool last = row + 1 == count;
    measured.add(logits, last ? std::nullopt : std::optional<std::int32_t>(tokens[static_cast<std::size_t>(row + 1)]), reference);
  });
  if (!status.ok()) return status;
  if (!read.ok()) return read;
  out.open('{').field("tokens", count).field("scored", measured.scored()).field("perplexity", measured.perplexity());
  out.field("meanNll", measured.mean_nll()).field("standardError", measured.standard_error()).field("seconds", seconds_between(start, Clock::now()));
  if (const std::optional<model::Agreement> agreement = measured.agreement()) {
    out.key("against").open('{').field("rows", agreement->rows).field("perplexity", agreement->reference_perplexity);
    out.field("meanKld", agreement->mean_kld).field("medianKld", agreement->median_kld).field("p99Kld", agreement->p99_kld);
    out.field("maxKld", agreement->max_kld).field("sameBest", agreement->same_best).close();
  }
  out.close();
  return {};
}

Status verify_command(const Arguments& a, JsonWriter& out) {
  const Clock::time_point start = Clock::now();
  const Result<VerifyReport> result = Engine::verify(options_of(a));
  if (!result.ok()) return result.status();
  const VerifyReport& r = result.value();
  out.open('{').field("state", r.recorded_now ? "recorded" : r.damaged.empty() ? "sound" : "damaged").field("tensors", r.tensors);
  out.field("bytes", r.bytes).field("seconds", seconds_between(start, Clock::now())).field("sidecar", r.sidecar).key("damaged").open('[');
  for (const std::string& name : r.damaged) out.value(name);
  out.close().close();
  return {};
}

Status inspect_command(const Arguments& a, JsonWriter& out) {
  const Result<ModelInfo> result = Engine::inspect(a.text("--model"));
  if (!result.ok()) return result.status();
  const ModelInfo& m = result.value();
  out.open('{').field("name", m.name).field("architecture", m.architecture).field("fileType", m.file_type).field("license", m.license);
  out.field("parameters", m.parameters)
      .field("fileBytes", m.file_bytes)
      .field("contextTokens", m.context_tokens)
      .field("vocab", m.vocab)
      .field("layers", m.layers);
  out.field("embedding", m.embedding).field("heads", m.heads).field("kvHeads", m.kv_heads).field("headDim", m.head_dim);
  out.field("bos", m.bos).field("eos", m.eos).field("addBos", m.add_bos).key("endTokens");
  write_ids(out, m.end_tokens);
  out.field("chatTemplate", m.chat_template).close();
  return {};
}

Status plan_command(const Arguments& a, JsonWriter& out) {
  const Result<Plan> result = Engine::plan(options_of(a));
  if (!result.ok()) return result.status();
  const Plan& p = result.value();
  out.open('{')
      .field("contextTokens", p.context_tokens)
      .field("weightBytes", p.weight_bytes)
      .field("kvBytes", p.kv_bytes)
      .field("scratchBytes", p.scratch_bytes);
  out.field("availableBytes", p.available_bytes)
      .field("fits", p.fits)
      .field("largestContextTokens", p.largest_context_tokens)
      .field("bottleneck", p.bottleneck)
      .close();
  return {};
}

Status random_model_command(const Arguments& a, JsonWriter& out) {
  Result<model::ModelShape> found = model::find_shape(a.text("--shape"));
  if (!found.ok()) return found.status();
  model::ModelShape shape = found.value();
  shape.layers = a.number("--layers", shape.layers);
  shape.vocab = a.number("--vocab", shape.vocab);
  if (shape.experts > 0) shape.experts = a.number("--experts", shape.experts);
  if (shape.layers < 1 || shape.vocab < 300 || (shape.experts > 0 && shape.experts < shape.experts_used))
    return Status(Code::invalid_request, "expected at least 1 layer, 300 tokens and " + std::to_string(shape.experts_used) + " experts, found " +
                                             std::to_string(shape.layers) + ", " + std::to_string(shape.vocab) + " and " +
                                             std::to_string(shape.experts) + ": ask for more");
  shape.context = a.number("--context", shape.context);
  const std::string name = a.has("--type") ? a.text("--type") : "q4_0";
  for (std::uint32_t number = 0; number < 64; ++number) {
    const kernels::TypeInfo* type = kernels::find_type(number);
    if (type == nullptr || name != type->name) continue;
    if (Status status = model::write_random_model(shape, type->type, static_cast<std::uint64_t>(a.number("--seed", 1)), a.text("--out"));
        !status.ok())
      return status;
    out.open('{').field("file", a.text("--out")).field("shape", std::string(shape.name)).field("type", name).close();
    return {};
  }
  return Status(Code::invalid_request, "expected the name of a tensor type such as f32, q8_0 or q4_0, found " + name + ": choose one of them");
}

Status run_command(const Arguments& a, JsonWriter& out) {
  if (a.command == "random-model") return random_model_command(a, out);
  if (a.command == "inspect") return inspect_command(a, out);
  if (a.command == "plan") return plan_command(a, out);
  if (a.command == "verify") return verify_command(a, out);
  Result<std::unique_ptr<Engine>> opened = Engine::open(options_of(a), {});
  if (!opened.ok()) return opened.status();
  Engine& engine = *opened.value();
  if (a.command == "tokenize") return tokenize_command(a, engine, out);
  if (a.command == "ask") return ask_command(a, engine, out);
  if (a.command == "generate") return generate_command(a, engine, out);
  if (a.command == "logits") return logits_command(a, engine, out);
  if (a.command == "perplexity") return perplexity_command(a, engine, out);
  if (a.command == "speed") return speed_command(a, engine, out);
  return reader_speed_command(a, engine, out);
}

}  // namespace

int run(int argc, char** argv) {
  Arguments arguments;
  if (const std::optional<UsageFault> fault = read_arguments(argc, argv, arguments)) {
    std::fprintf(stderr, "%s\n%s", fault->sentence.c_str(), kUsage);
    return 2;
  }
  JsonWriter out;
  const Status status = run_command(arguments, out);
  if (!status.ok()) {
    std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(code_name(status.code()).size()), code_name(status.code()).data(), status.message().c_str());
    return 1;
  }
  std::printf("%s\n", out.text().c_str());
  return 0;
}

}  // namespace codicil::tools

int main(int argc, char** argv) { return codicil::tools::run(argc, argv); }
