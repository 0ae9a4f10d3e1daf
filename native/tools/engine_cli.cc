// engine-cli: the engine without Node. One subcommand a run; commands and formats are those of bench/peer/FORMATS.md, so that
// one bench drives llama.cpp and this program alike; `inspect` and `plan` are its own.
//
// Owns: arguments, files, JSON, and the blocking way of calling the engine. Leaves everything else to engine.h.
// Rules that must stay true: stdout carries one JSON value and nothing else; exit code 0 done, 1 it could not be done (one
// sentence on stderr), 2 wrong usage.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "native/tools/commands.h"

namespace codicil::tools {

namespace {

using Alone = Status (*)(const Arguments&, JsonWriter&);
using WithEngine = Status (*)(const Arguments&, Engine&, JsonWriter&);

const std::map<std::string, Alone> kAlone = {
    {"tokenize", tokenize_command}, {"random-model", random_model_command}, {"inspect", inspect_command},   {"plan", plan_command},
    {"verify", verify_command},     {"footprint", footprint_command},       {"drafting", drafting_command}, {"machine", machine_command},
};
const std::map<std::string, WithEngine> kWithEngine = {
    {"ask", ask_command},     {"generate", generate_command},         {"logits", logits_command},   {"perplexity", perplexity_command},
    {"speed", speed_command}, {"reader-speed", reader_speed_command}, {"session", session_command}, {"soak", soak_command},
};

Status run_command(const Arguments& a, JsonWriter& out) {
  if (const auto alone = kAlone.find(a.command); alone != kAlone.end()) return alone->second(a, out);
  Result<std::unique_ptr<Engine>> opened = Engine::open(options_of(a), {});
  if (!opened.ok()) return opened.status();
  return kWithEngine.at(a.command)(a, *opened.value(), out);
}

// False, after a sentence: what was computed did not get out.
bool print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return true;
  std::fprintf(stderr, "io_failed: expected to be able to write the result, found: %s. Write it where there is room.\n", std::strerror(errno));
  return false;
}

}  // namespace

int run(int argc, char** argv) {
  Arguments arguments;
  if (const std::optional<UsageFault> fault = read_arguments(argc, argv, arguments)) {
    std::fprintf(stderr, "%s\n%s", fault->sentence.c_str(), kUsage);
    return 2;
  }
  if (arguments.command == "help") return print(kUsage) ? 0 : 1;
  JsonWriter out;
  const Status status = run_command(arguments, out);
  if (!status.ok()) {
    std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(code_name(status.code()).size()), code_name(status.code()).data(), status.message().c_str());
    return 1;
  }
  return print(out.text() + "\n") ? 0 : 1;
}

}  // namespace codicil::tools

int main(int argc, char** argv) { return codicil::tools::run(argc, argv); }
