// engine-cli drafting: the same answers without guesses, with lookup and, where the file has a head, with that; in turns, in one process.
//
// Owns: the order of the runs and what is timed: from the first token to the last, by the clock and by the processor time of all threads (on a machine
// that does other work too, only the second can be compared). Without guesses an engine of its own answers, which has not loaded the head: what the
// head costs where its guesses are not used counts against it.
// Rule that must stay true: each way answers the same prompts, from a fork of a session that has read them, as often as the others.
#include <array>
#include <ctime>
#include <memory>
#include <vector>

#include "native/tools/commands.h"

namespace codicil::tools {

namespace {

struct Way {
  Drafting drafting;
  Engine* engine;
  std::vector<Session*> sessions{};                     // [prompts], which have read them
  std::vector<double> seconds{}, processor_seconds{};   // [rounds]
  std::uint64_t tokens = 0, drafted = 0, accepted = 0;  // of all rounds
  std::vector<std::vector<Token>> answers{};            // [prompts], of the last round
};

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// One answer, added to the last round of its way.
Status answer(Way& way, std::size_t prompt, const GenerateOptions& options) {
  const Result<std::unique_ptr<Session>> fork = way.sessions[prompt]->fork();
  if (!fork.ok()) return fork.status();
  struct Moment {
    Clock::time_point time;
    double processor;
  };
  std::vector<Moment> moments;  // the first token needs no step of its own: timed is from there
  const auto on_text = [&](Token, std::string_view) { moments.push_back({Clock::now(), processor_seconds()}); };
  const EngineStats before = way.engine->stats();
  Result<Generated> result = generate(*fork.value(), options, on_text).get();
  if (!result.ok()) return result.status();
  const EngineStats after = way.engine->stats();
  if (!moments.empty()) {
    way.seconds.back() += seconds_between(moments.front().time, moments.back().time);
    way.processor_seconds.back() += moments.back().processor - moments.front().processor;
  }
  way.tokens += std::max<std::size_t>(result.value().tokens.size(), 1) - 1;
  way.drafted += after.drafted_tokens - before.drafted_tokens;
  way.accepted += after.accepted_tokens - before.accepted_tokens;
  way.answers[prompt] = std::move(result.value().tokens);
  return {};
}

// Forth and back, so that a machine that becomes slower does so for all ways.
Status run_round(std::vector<Way>& ways, std::size_t prompts, GenerateOptions options) {
  for (Way& way : ways) way.seconds.push_back(0), way.processor_seconds.push_back(0);
  for (std::size_t turn = 0; turn < 2 * ways.size(); ++turn) {
    Way& way = ways[turn < ways.size() ? turn : 2 * ways.size() - 1 - turn];
    options.drafting = way.drafting;
    for (std::size_t i = 0; i < prompts; ++i)
      if (Status status = answer(way, i, options); !status.ok()) return status;
  }
  return {};
}

Result<std::vector<std::unique_ptr<Session>>> read_prompts(const Arguments& a, Engine& engine, const std::vector<std::string>& prompts) {
  std::vector<std::unique_ptr<Session>> out;
  for (const std::string& prompt : prompts) {
    Result<std::vector<Token>> tokens = engine.tokenize(prompt, a.has("--special"));
    if (!tokens.ok()) return tokens.status();
    Result<std::unique_ptr<Session>> session = engine.open_session();
    if (!session.ok()) return session.status();
    out.push_back(std::move(session).value());
    if (Status status = sync(*out.back(), std::move(tokens).value()).get(); !status.ok()) return status;
  }
  return out;
}

void write_numbers(JsonWriter& out, const char* name, const std::vector<double>& numbers) {
  out.key(name).open('[');
  for (const double number : numbers) out.value(number);
  out.close();
}

}  // namespace

Status drafting_command(const Arguments& a, JsonWriter& out) {
  const Result<std::vector<std::string>> prompts = read_texts(a.text("--prompt-file"), "prompts");
  if (!prompts.ok()) return prompts.status();
  std::array<EngineOptions, 2> options = {options_of(a), options_of(a)};
  options[0].drafting = Drafting::off;
  const Result<Plan> plan = Engine::plan(options[1]);
  if (!plan.ok()) return plan.status();
  std::array<std::unique_ptr<Engine>, 2> engines;
  std::array<std::vector<std::unique_ptr<Session>>, 2> sessions;
  for (std::size_t i = 0; i < 2; ++i) {
    Result<std::unique_ptr<Engine>> engine = Engine::open(options[i], {});
    if (!engine.ok()) return engine.status();
    engines[i] = std::move(engine).value();
    Result<std::vector<std::unique_ptr<Session>>> read = read_prompts(a, *engines[i], prompts.value());
    if (!read.ok()) return read.status();
    sessions[i] = std::move(read).value();
  }
  std::vector<Way> ways = {{Drafting::off, engines[0].get()}, {Drafting::lookup, engines[1].get()}};
  if (plan.value().drafting == Drafting::mtp) ways.push_back({Drafting::mtp, engines[1].get()});
  for (Way& way : ways) {
    for (const std::unique_ptr<Session>& session : sessions[way.engine == engines[0].get() ? 0 : 1]) way.sessions.push_back(session.get());
    way.answers.resize(way.sessions.size());
  }
  GenerateOptions generation;
  generation.max_tokens = a.number("-n", 64);
  if (a.has("--sampled")) generation.temperature = 1, generation.seed = 1;
  const Clock::time_point start = Clock::now();
  bool same = true;
  do {
    if (Status status = run_round(ways, prompts.value().size(), generation); !status.ok()) return status;
    for (const Way& way : ways) same &= way.answers == ways[0].answers;
  } while (seconds_between(start, Clock::now()) < static_cast<double>(a.number("--seconds", 30)));

  out.open('{').field("planned", drafting_name(plan.value().drafting)).field("threads", engines[1]->stats().threads).field("same", same);
  out.key("ways").open('[');
  for (const Way& way : ways) {
    out.open('{')
        .field("drafting", drafting_name(way.drafting))
        .field("tokens", way.tokens)
        .field("drafted", way.drafted)
        .field("accepted", way.accepted);
    write_numbers(out, "seconds", way.seconds);
    write_numbers(out, "processorSeconds", way.processor_seconds);
    out.close();
  }
  out.close().close();
  return {};
}

}  // namespace codicil::tools
