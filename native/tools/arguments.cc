// The arguments of engine-cli: which command takes which option, and the sentences for what does not fit.
//
// Rule that must stay true: an option that a command does not know is refused by name, never ignored.
#include "native/tools/arguments.h"

#include <cstring>
#include <set>

namespace codicil::tools {

const char* const kUsage =
    "Usage: engine-cli COMMAND --model FILE.gguf [options]\n"
    "  random-model  --out FILE.gguf --shape NAME [--type q4_0] [--layers N] [--vocab N] [--experts N] [--context N] [--seed 1]\n"
    "                [--mtp random|SHARE] (no --model): random weights in a true shape; --mtp: with the head that guesses tokens (qwen35 shapes), "
    "of\n"
    "                random weights, or right for a share of the tokens; then layers add nothing and the text counts up the vocabulary\n"
    "  tokenize      --file texts.json [--special]\n"
    "  ask           --golden golden.json [--batch] [--top 5] [--max 16]\n"
    "  generate      --prompt-file prompts.json [-n 64] [--top 2] [--special]\n"
    "  logits        --tokens ids.json --out file.bin [--every 1] (of so many rows the last)\n"
    "  speed         [--prefill 512] [--decode 64] [--depth 0] [--repeat 3]\n"
    "  reader-speed  --windows windows.json --questions questions.json [--max 8]\n"
    "  session       [--tokens ids.json | --length 4096] [--ask 2] [--question-tokens 24] [--max 8] [--rate]: one long session, its times and\n"
    "                what it read; --rate reads the files of --store once more, plainly\n"
    "  perplexity    --tokens ids.json [--against logits.bin] [--every 1] (KL divergence from the program that wrote it)\n"
    "  drafting      --prompt-file prompts.json [-n 64] [--seconds 30] [--sampled] [--special]: the answers without guesses, with lookup and with "
    "the\n"
    "                file's own head, in turns: times, guesses, whether all tokens are the same\n"
    "  soak          [--seconds 60] [--callers 3] [--seed 1] [--longest 6000]: random jobs, what was slowest, what was left in memory\n"
    "  verify        --checksums FOLDER: every tensor against what was recorded at the first load\n"
    "  inspect       what the file says of itself\n"
    "  plan          [--context N]: bytes that would be used and speeds, before anything is; --checksums FOLDER keeps measurements\n"
    "  footprint     [--prefill 32] [--warm 0] [--decode 8]: the plan, then what opening, reading and answering took; --warm: tokens answered, and\n"
    "                another text read, before anything is timed\n"
    "  machine       what this machine is and what it says of itself now: clocks, temperatures, memory, GPUs (no --model)\n"
    "Everywhere: --threads 2, --context N, --batch-tokens 512, --ram-mib N (for keys and values), --set reference|avx2|avx512,\n"
    "  --ram-budget 8G (for everything: weights that do not fit are streamed from the file), --reserve (take the context's memory at once),\n"
    "  --kv f16|q8_0|k8v5|k8v4|q4|nf4 (format of keys and values; else by the machine's memory), \n"
    "  --store FOLDER (their pages kept on disk), --store-mib N,\n"
    "  --drafting off|lookup|mtp|auto (tokens guessed, several confirmed by one step: from the text before, by the model's own head where the\n"
    "  file has one, or both, as far as it pays),\n"
    "  --checksums FOLDER (of tensors, recorded at the first load, checked at every other), --second-copy FILE.gguf (read where they differ)\n"
    "Formats: bench/peer/FORMATS.md. Exit code: 0 done, 1 could not be done, 2 wrong usage.\n";

namespace {

const std::set<std::string> kSwitches = {"--special", "--batch", "--rate", "--reserve", "--sampled"};
const std::map<std::string, std::set<std::string>> kCommands = {
    {"tokenize", {"--file", "--special"}},
    {"ask", {"--golden", "--batch", "--top", "--max"}},
    {"generate", {"--prompt-file", "-n", "--top", "--special"}},
    {"logits", {"--tokens", "--out", "--every"}},
    {"speed", {"--prefill", "--decode", "--depth", "--repeat"}},
    {"reader-speed", {"--windows", "--questions", "--max"}},
    {"perplexity", {"--tokens", "--against", "--every"}},
    {"session", {"--tokens", "--length", "--ask", "--question-tokens", "--max", "--rate"}},
    {"drafting", {"--prompt-file", "-n", "--seconds", "--sampled", "--special"}},
    {"soak", {"--seconds", "--callers", "--seed", "--longest"}},
    {"verify", {}},
    {"inspect", {}},
    {"plan", {}},
    {"footprint", {"--prefill", "--warm", "--decode"}},
    {"machine", {}},
    {"random-model", {"--out", "--shape", "--type", "--layers", "--vocab", "--experts", "--seed", "--mtp"}},
};
const std::set<std::string> kEverywhere = {"--model",     "--threads",   "--context",    "--batch-tokens", "--ram-mib",     "--set", "--store",
                                           "--store-mib", "--checksums", "--ram-budget", "--reserve",      "--second-copy", "--kv",  "--drafting"};

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;  // more than any machine has, and far from where arithmetic overflows

// "8G", "300M", "1000000"; nothing: not a size.
std::optional<std::uint64_t> bytes_of(const std::string& text) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits == 0 || digits > 15 || text.size() > digits + 1) return std::nullopt;
  const std::string unit = text.substr(digits);
  const int shift = unit.empty() ? 0 : unit == "M" || unit == "m" ? 20 : unit == "G" || unit == "g" ? 30 : unit == "T" || unit == "t" ? 40 : -1;
  if (shift < 0) return std::nullopt;
  const std::uint64_t count = std::stoull(text.substr(0, digits));
  if (count == 0 || count > kMostBytes >> shift) return std::nullopt;
  return count << shift;
}

}  // namespace

std::optional<UsageFault> read_arguments(int argc, char** argv, Arguments& out) {
  if (argc < 2) return UsageFault{"Expected a command, found none."};
  if (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0 || std::strcmp(argv[1], "help") == 0) {
    out.command = "help";
    return {};
  }
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
    const bool without_model = out.command == "random-model" || out.command == "machine";
    const bool wanted = known->second.count(needed) != 0 || (std::strcmp(needed, "--model") == 0 && !without_model);
    if (out.command == "session" && std::strcmp(needed, "--tokens") == 0) continue;
    if (wanted && !out.has(needed)) return UsageFault{std::string("Expected ") + needed + " for " + out.command + ", found none."};
  }
  if (out.has("--drafting") && !drafting_named(out.text("--drafting")))
    return UsageFault{"Expected off, lookup, mtp or auto after --drafting, found " + out.text("--drafting") + "."};
  if (out.command == "verify" && !out.has("--checksums")) return UsageFault{"Expected --checksums for verify, found none."};
  for (const char* numeric : {"--threads", "--context", "--batch-tokens", "--ram-mib", "--store-mib", "--top",     "--max",  "-n",
                              "--prefill", "--decode",  "--depth",        "--repeat",  "--every",     "--length",  "--ask",  "--question-tokens",
                              "--seconds", "--callers", "--longest",      "--layers",  "--vocab",     "--experts", "--seed", "--warm"}) {
    if (!out.has(numeric)) continue;
    const std::string value = out.text(numeric);
    // 2^30: of tokens, threads, MiB or seconds alike more than there are.
    if (value.empty() || value.size() > 10 || value.find_first_not_of("0123456789") != std::string::npos || std::stoll(value) > 1 << 30)
      return UsageFault{std::string("Expected a whole number of at most 1073741824 after ") + numeric + ", found " + value + "."};
    for (const char* positive : {"--repeat", "--every", "--batch-tokens", "--seconds", "--callers"}) {
      if (std::strcmp(numeric, positive) == 0 && std::stoll(value) == 0)
        return UsageFault{std::string("Expected at least 1 after ") + numeric + ", found 0."};
    }
  }
  if (out.has("--ram-budget") && !bytes_of(out.text("--ram-budget")))
    return UsageFault{"Expected a size such as 8G or 300M (at most 1024T) after --ram-budget, found " + out.text("--ram-budget") + "."};
  return {};
}

EngineOptions options_of(const Arguments& a) {
  EngineOptions options;
  options.model_path = a.text("--model");
  options.threads = static_cast<int>(a.number("--threads", 2));
  options.context_tokens = a.number("--context", 0);
  options.batch_tokens = a.number("--batch-tokens", 512);
  options.ram_budget_bytes = static_cast<std::uint64_t>(a.number("--ram-mib", 0)) << 20;
  if (a.has("--ram-budget")) options.memory_budget_bytes = bytes_of(a.text("--ram-budget")).value_or(0);
  options.reserve = a.has("--reserve");
  options.instruction_set = a.text("--set");
  if (a.has("--kv")) options.kv_format = a.text("--kv");
  if (a.has("--drafting")) options.drafting = drafting_named(a.text("--drafting")).value_or(Drafting::automatic);
  options.store_folder = a.text("--store");
  options.checksum_folder = a.text("--checksums");
  options.second_copy = a.text("--second-copy");
  if (a.has("--store-mib")) options.store_budget_bytes = static_cast<std::uint64_t>(a.number("--store-mib", 0)) << 20;
  return options;
}

}  // namespace codicil::tools
