// The independent judge: llama.cpp behind its public API (llama.h, nothing else of it), speaking the commands of FORMATS.md.
// Owns how the peer is asked, so that our engine is asked the same. It leaves all comparing to bench/engine/.
// Rules that must stay true: stdout is one JSON value; weights are read into memory, never mapped; KV is f16; flash attention is left on
// auto, batch sizes at llama.cpp's own defaults (2048/512): the peer runs as its users run it.

#include <llama.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "peer_json.h"

namespace peer {

using Ids = std::vector<llama_token>;
using Step = std::vector<std::pair<llama_token, float>>;  // best first

constexpr int kBatch = 2048;    // llama.cpp's default n_batch
constexpr int kMicro = 512;     // llama.cpp's default n_ubatch
constexpr int kLogitRows = 512;  // rows of logits held at once: 2048 rows of a 152K vocabulary would be 1.2 GB

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Options {
 public:
  Options(int argc, char** argv, const std::vector<std::string>& known) {
    for (int i = 2; i < argc; ++i) {
      const std::string name = argv[i];
      if (std::find(known.begin(), known.end(), name) == known.end()) die("unknown option " + name + ": see bench/peer/FORMATS.md");
      const bool has_value = i + 1 < argc && std::strncmp(argv[i + 1], "--", 2) != 0;
      values_[name] = has_value ? argv[++i] : "";
    }
  }
  bool has(const std::string& name) const { return values_.count(name) > 0; }
  std::string text(const std::string& name) const {
    if (!has(name)) die("expected the option " + name + ", found none: see bench/peer/FORMATS.md");
    return values_.at(name);
  }
  int count(const std::string& name, int otherwise) const { return has(name) ? std::atoi(values_.at(name).c_str()) : otherwise; }

 private:
  std::map<std::string, std::string> values_;
};

std::vector<std::string> read_texts(const std::string& path) {
  std::vector<std::string> texts;
  for (const Json& item : JsonReader(path).read().items) texts.push_back(item.text);
  return texts;
}

// A loaded model and one context of it; sequences are numbered from 0.
class Peer {
 public:
  explicit Peer(const Options& options, bool vocab_only = false) : threads_(options.count("--threads", 2)) {
    llama_log_set(
        [](ggml_log_level level, const char* text, void*) {
          if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
        },
        nullptr);
    llama_backend_init();
    llama_model_params params = llama_model_default_params();
    params.load_mode = LLAMA_LOAD_MODE_NONE;  // read, not mapped
    params.n_gpu_layers = 0;
    params.vocab_only = vocab_only;
    params.use_extra_bufts = !options.has("--no-repack");  // repacked weights take other kernels, which round otherwise: the judge's own noise
    const std::string path = options.text("--model");
    model_ = llama_model_load_from_file(path.c_str(), params);
    if (!model_) die("expected a GGUF model that llama.cpp can load, found " + path + ": see the lines above");
    vocab_ = llama_model_get_vocab(model_);
  }

  // Room for `sequences` timelines of `tokens` each. `unified`: one pool of cells for all (copies are free, but each step looks at all of them).
  void open(int tokens, int sequences = 1, bool unified = false) {
    llama_context_params params = llama_context_default_params();
    params.n_ctx = static_cast<uint32_t>((tokens + 255) / 256 * 256) * (unified ? 1 : sequences);
    params.n_batch = kBatch;
    params.n_ubatch = kMicro;
    params.n_seq_max = static_cast<uint32_t>(sequences);
    params.n_threads = threads_;
    params.n_threads_batch = threads_;
    params.kv_unified = unified;
    params.type_k = params.type_v = GGML_TYPE_F16;
    params.no_perf = true;
    context_ = llama_init_from_model(model_, params);
    if (!context_) die("expected room for a context of " + std::to_string(params.n_ctx) + " tokens, found too little: ask for less");
    batch_ = llama_batch_init(kBatch, 0, 1);
  }

  Ids tokenize(const std::string& text, bool special, bool bos = false) const {
    Ids ids(text.size() + 8);
    const int n = llama_tokenize(vocab_, text.data(), static_cast<int>(text.size()), ids.data(), static_cast<int>(ids.size()), bos, special);
    if (n < 0) die("llama_tokenize wanted more ids than there are bytes: report this");
    ids.resize(static_cast<size_t>(n));
    return ids;
  }

  std::string detokenize(const Ids& ids) const {
    std::string text;
    for (const llama_token id : ids) {
      char piece[256];
      const int n = llama_token_to_piece(vocab_, id, piece, sizeof piece, 0, true);
      if (n > 0) text.append(piece, static_cast<size_t>(n));
    }
    return text;
  }

  // Puts a token into the batch in hand; `wanted`: its logits are asked for. run() sends the batch.
  void add(llama_token id, int position, int sequence, bool wanted) {
    const int i = batch_.n_tokens++;
    batch_.token[i] = id;
    batch_.pos[i] = position;
    batch_.n_seq_id[i] = 1;
    batch_.seq_id[i][0] = sequence;
    batch_.logits[i] = wanted;
  }
  void run() {
    const int rc = llama_decode(context_, batch_);
    if (rc != 0) die("llama_decode returned " + std::to_string(rc) + ": the context may be too small");
    llama_synchronize(context_);
    batch_.n_tokens = 0;
  }

  // Prefills `ids` from `position` on; afterwards logits(-1) is the prediction after the last of them.
  void feed(const Ids& ids, int position, int sequence = 0) {
    for (size_t i = 0; i < ids.size(); ++i) {
      add(ids[i], position + static_cast<int>(i), sequence, i + 1 == ids.size());
      if (batch_.n_tokens == kBatch || i + 1 == ids.size()) run();
    }
  }

  const float* logits(int row) const { return llama_get_logits_ith(context_, row); }

  Step best(int row, int count) const {
    const float* values = logits(row);  // [n_vocab]
    if (count == 1) {  // the timed commands: no list of the whole vocabulary
      const float* first = std::max_element(values, values + vocab_size());
      return {{static_cast<llama_token>(first - values), *first}};
    }
    Step all(static_cast<size_t>(vocab_size()));
    for (int id = 0; id < vocab_size(); ++id) all[static_cast<size_t>(id)] = {id, values[id]};
    std::partial_sort(all.begin(), all.begin() + count, all.end(),
                      [](const auto& a, const auto& b) { return a.second > b.second || (a.second == b.second && a.first < b.first); });
    all.resize(static_cast<size_t>(count));
    return all;
  }

  struct Answer {
    Ids ids;
    std::vector<Step> steps;
    bool ended = false;
  };

  // Greedy from the state of `sequence`, whose next position is `position`; logits(-1) must be its prediction.
  Answer greedy(int position, int sequence, int most, int top) {
    Answer answer;
    while (true) {
      answer.steps.push_back(best(-1, top));
      const llama_token id = answer.steps.back()[0].first;
      answer.ended = llama_vocab_is_eog(vocab_, id);
      if (answer.ended) return answer;
      answer.ids.push_back(id);
      if (static_cast<int>(answer.ids.size()) == most) return answer;
      add(id, position++, sequence, true);
      run();
    }
  }

  // Sequence 0 twice as long: a copy of its cells in sequence 1 is moved on by `tokens` positions and given to sequence 0. What the cells then say is no
  // text, but a step over them costs what it costs; filling a deep context in earnest takes llama.cpp hours. Wants two sequences in one pool of cells.
  void repeat(int tokens) {
    std::vector<uint8_t> state(llama_state_seq_get_size(context_, 0));
    const size_t written = llama_state_seq_get_data(context_, state.data(), state.size(), 0);
    if (written == 0 || llama_state_seq_set_data(context_, state.data(), written, 1) == 0) die("expected room for a copy of the context, found none: ask for less");
    llama_memory_seq_add(memory(), 1, 0, -1, tokens);
    llama_memory_seq_cp(memory(), 1, 0, -1, -1);
    llama_memory_seq_rm(memory(), 1, -1, -1);
  }

  void clear() { llama_memory_clear(memory(), false); }
  bool cut(int sequence, int from) { return llama_memory_seq_rm(memory(), sequence, from, -1); }
  void copy(int from, int to) {
    llama_memory_seq_rm(memory(), to, -1, -1);
    llama_memory_seq_cp(memory(), from, to, -1, -1);
  }
  int vocab_size() const { return llama_vocab_n_tokens(vocab_); }
  bool ends(llama_token id) const { return llama_vocab_is_eog(vocab_, id); }
  int threads() const { return threads_; }

 private:
  llama_memory_t memory() const { return llama_get_memory(context_); }

  int threads_;
  llama_model* model_ = nullptr;        // lives as long as the process
  const llama_vocab* vocab_ = nullptr;  // borrowed from model_
  llama_context* context_ = nullptr;
  llama_batch batch_ = {};
};

std::string ids_json(const Ids& ids) {
  return array_of(ids, [](llama_token id) { return std::to_string(id); });
}
std::string steps_json(const std::vector<Step>& steps) {
  return array_of(steps, [](const Step& step) {
    return array_of(step, [](const auto& pair) { return "[" + std::to_string(pair.first) + "," + number(pair.second) + "]"; });
  });
}
std::string numbers_json(const std::vector<double>& values) { return array_of(values, number); }

// The question turn of the Reader (design/reader.md): markup with specials, the question itself without.
Ids question_ids(const Peer& peer, const std::string& question) {
  Ids ids = peer.tokenize("<|im_start|>user\n", true);
  for (const Ids& part : {peer.tokenize("Question: " + question, false), peer.tokenize("<|im_end|>\n<|im_start|>assistant\n", true)}) {
    ids.insert(ids.end(), part.begin(), part.end());
  }
  return ids;
}

void tokenize(const Options& options) {
  const Peer peer(options, true);
  const bool special = options.has("--special");
  const std::vector<std::string> texts = read_texts(options.text("--file"));
  std::puts(array_of(texts, [&](const std::string& text) { return ids_json(peer.tokenize(text, special)); }).c_str());
}

void ask(const Options& options) {
  const int top = options.count("--top", 5), most = options.count("--max", 16);
  const Json golden = JsonReader(options.text("--golden")).read();
  Peer peer(options);
  size_t longest = 0;
  for (const Json& window : golden.items) longest = std::max(longest, peer.tokenize(window.get("prefix").text, true).size());
  peer.open(static_cast<int>(longest) + 512, 2);  // sequence 0 keeps the prefix, 1 is the working copy: also right for recurrent models
  const std::string out = array_of(golden.items, [&](const Json& window) {
    const Ids prefix = peer.tokenize(window.get("prefix").text, true);
    peer.clear();
    peer.feed(prefix, 0, 0);
    const std::string questions = array_of(window.get("questions").items, [&](const Json& item) {
      const std::string& question = item.get("question").text;
      const Ids ids = question_ids(peer, question);
      const int start = static_cast<int>(prefix.size());
      peer.copy(0, 1);
      peer.feed(ids, start, 1);
      const Peer::Answer answer = peer.greedy(start + static_cast<int>(ids.size()), 1, most, top);
      return "\n {\"question\":" + quoted(question) + ",\"answer\":" + quoted(peer.detokenize(answer.ids)) + ",\"ids\":" + ids_json(answer.ids) +
             ",\"stop\":\"" + (answer.ended ? "end" : "length") + "\",\"promptTokens\":" + std::to_string(ids.size()) +
             ",\"steps\":" + steps_json(answer.steps) + "}";
    });
    return "\n{\"document\":" + quoted(window.get("document").text) + ",\"prefixTokens\":" + std::to_string(prefix.size()) +
           ",\"questions\":" + questions + "}";
  });
  std::puts(out.c_str());
}

void generate(const Options& options) {
  const int most = options.count("-n", 64), top = options.count("--top", 2);
  const std::vector<std::string> prompts = read_texts(options.text("--prompt-file"));
  Peer peer(options);
  std::vector<Ids> all;
  size_t longest = 0;
  for (const std::string& prompt : prompts) {
    all.push_back(peer.tokenize(prompt, options.has("--special"), true));
    if (all.back().empty()) die("expected prompts of at least one token, found an empty one: leave it out");
    longest = std::max(longest, all.back().size());
  }
  peer.open(static_cast<int>(longest) + most);
  const std::string out = array_of(all, [&](const Ids& ids) {
    peer.clear();
    peer.feed(ids, 0);
    const Peer::Answer answer = peer.greedy(static_cast<int>(ids.size()), 0, most, top);
    return "\n{\"promptTokens\":" + std::to_string(ids.size()) + ",\"ids\":" + ids_json(answer.ids) + ",\"text\":" + quoted(peer.detokenize(answer.ids)) +
           ",\"stop\":\"" + (answer.ended ? "end" : "length") + "\",\"steps\":" + steps_json(answer.steps) + "}";
  });
  std::puts(out.c_str());
}

void logits(const Options& options) {
  Ids ids;
  for (const Json& item : JsonReader(options.text("--tokens")).read().items) ids.push_back(static_cast<llama_token>(item.number));
  const std::string path = options.text("--out");
  Peer peer(options);
  peer.open(static_cast<int>(ids.size()));
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) die("expected to be able to write " + path + ", found that it cannot be opened: check the folder");
  const uint32_t header[4] = {0x31474C43 /* "CLG1" */, static_cast<uint32_t>(ids.size()), static_cast<uint32_t>(peer.vocab_size()), 0};
  bool good = std::fwrite(header, sizeof header, 1, file) == 1;
  const double start = now();
  for (size_t i = 0; i < ids.size();) {
    const size_t rows = std::min<size_t>(kLogitRows, ids.size() - i);
    for (size_t k = 0; k < rows; ++k) peer.add(ids[i + k], static_cast<int>(i + k), 0, true);
    peer.run();
    for (size_t k = 0; k < rows; ++k) {
      good = good && std::fwrite(peer.logits(static_cast<int>(k)), sizeof(float), header[2], file) == header[2];
    }
    i += rows;
  }
  if (std::fclose(file) != 0 || !good) die("expected room for the logits in " + path + ", found a write error: free some disk");
  std::printf("{\"tokens\":%zu,\"vocab\":%u,\"seconds\":%s}\n", ids.size(), header[2], number(now() - start).c_str());
}

// The same weights in F32: no kernel then rounds activations to 8 bits, so two right programs agree closely. Written by llama.cpp itself.
void dequantize(const Options& options) {
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  llama_model_quantize_params params = llama_model_quantize_default_params();
  params.ftype = LLAMA_FTYPE_ALL_F32;
  params.allow_requantize = true;
  params.nthread = options.count("--threads", 2);
  const std::string from = options.text("--model"), to = options.text("--out");
  if (llama_model_quantize(from.c_str(), to.c_str(), &params) != 0) die("expected to be able to write " + from + " as F32 to " + to + ", found an error: is there room?");
  std::printf("{\"file\":%s}\n", quoted(to).c_str());
}

void speed(const Options& options) {
  const int prefill = options.count("--prefill", 512), decode = options.count("--decode", 64), depth = options.count("--depth", 0);
  const int tile = options.count("--tile", depth);
  int doublings = 0;
  while (tile > 0 && tile << doublings < depth) ++doublings;
  if (depth > 0 && tile << doublings != depth) die("expected a --depth that is --tile doubled some times, found " + std::to_string(depth) + ": give 4096 and 65536");
  Ids ids(static_cast<size_t>(depth + std::max(prefill, decode)));
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<llama_token>(1000 + (i * 7919) % 20000);
  const Ids deep(ids.begin(), ids.begin() + tile), fresh(ids.begin() + depth, ids.begin() + depth + prefill);
  Peer peer(options);
  peer.open(static_cast<int>(ids.size()) + 1, doublings > 0 ? 2 : 1, doublings > 0);
  const auto fill = [&] {
    peer.clear();
    peer.feed(deep, 0);
    for (int i = 0; i < doublings; ++i) peer.repeat(tile << i);
  };
  const auto to_depth = [&] {  // a recurrent model cannot be cut back: it is prefilled anew
    if (depth == 0 || !peer.cut(0, depth)) fill();
  };
  fill();
  const auto time_prefill = [&] {
    const double start = now();
    peer.feed(fresh, depth);
    return prefill / (now() - start);
  };
  const auto time_decode = [&](int steps) {
    const double start = now();
    for (int i = 0; i < steps; ++i) peer.feed({ids[static_cast<size_t>(depth + i)]}, depth + i);
    return steps / (now() - start);
  };
  std::vector<double> prefill_rates, decode_rates;
  for (int r = -1; r < options.count("--repeat", 3); ++r) {  // round -1 warms up
    if (prefill > 0) {
      const double rate = time_prefill();
      if (r >= 0) prefill_rates.push_back(rate);
      to_depth();
    }
    if (decode > 0) {
      const double rate = time_decode(r < 0 ? std::min(decode, 4) : decode);
      if (r >= 0) decode_rates.push_back(rate);
      to_depth();
    }
  }
  std::printf("{\"threads\":%d,\"depth\":%d,\"prefill\":%d,\"decode\":%d,\"prefillTokS\":%s,\"decodeTokS\":%s,\"system\":%s}\n", peer.threads(), depth, prefill,
              decode, numbers_json(prefill_rates).c_str(), numbers_json(decode_rates).c_str(), quoted(llama_print_system_info()).c_str());
}

// The peer's own batching, for an honest second opinion: one question put to `count` windows in one batch, then decoded together.
size_t ask_together(Peer& peer, const std::vector<Ids>& windows, size_t first, size_t count, const Ids& question, int most, std::vector<Ids>& answers) {
  struct Live { size_t window; int position; int row; };
  std::vector<Live> live;
  int rows = 0;
  for (size_t w = first; w < first + count; ++w) {
    int position = static_cast<int>(windows[w].size());
    for (size_t i = 0; i < question.size(); ++i, ++rows) peer.add(question[i], position++, static_cast<int>(w), i + 1 == question.size());
    live.push_back({w, position, rows - 1});
  }
  size_t steps = 0;
  while (!live.empty()) {
    peer.run();
    std::vector<Live> next;
    rows = 0;
    for (const Live& one : live) {
      const llama_token id = peer.best(one.row, 1)[0].first;
      ++steps;
      if (peer.ends(id)) continue;
      answers[one.window].push_back(id);
      if (static_cast<int>(answers[one.window].size()) == most) continue;
      peer.add(id, one.position, static_cast<int>(one.window), true);
      next.push_back({one.window, one.position + 1, rows++});
    }
    live = std::move(next);
  }
  return steps;
}

void reader_speed(const Options& options) {
  const int most = options.count("--max", 8);
  const std::vector<std::string> texts = read_texts(options.text("--windows"));
  Peer peer(options);
  std::vector<Ids> windows, questions;
  size_t longest = 0, total = 0, asked = 0, steps = 0;
  for (const std::string& text : texts) {
    windows.push_back(peer.tokenize(text, true));
    longest = std::max(longest, windows.back().size());
    total += windows.back().size();
  }
  for (const std::string& text : read_texts(options.text("--questions"))) questions.push_back(question_ids(peer, text));
  peer.open(static_cast<int>(longest) + 256, static_cast<int>(windows.size()));  // a stream of cells for each window: steps see their own window only

  const double start = now();
  for (size_t w = 0; w < windows.size(); ++w) peer.feed(windows[w], 0, static_cast<int>(w));
  const double filled = now();
  std::vector<std::vector<std::string>> answers(windows.size());
  const auto rewind = [&](size_t w) {
    if (!peer.cut(static_cast<int>(w), static_cast<int>(windows[w].size()))) die("this model's memory cannot be cut back to its prefix: reader-speed needs plain attention");
  };
  for (const Ids& question : questions) {
    asked += question.size() * windows.size();
    if (options.has("--parallel")) {
      std::vector<Ids> found(windows.size());
      const size_t at_once = std::max<size_t>(1, kBatch / question.size());
      for (size_t w = 0; w < windows.size(); w += at_once) steps += ask_together(peer, windows, w, std::min(at_once, windows.size() - w), question, most, found);
      for (size_t w = 0; w < windows.size(); ++w) answers[w].push_back(peer.detokenize(found[w])), rewind(w);
      continue;
    }
    for (size_t w = 0; w < windows.size(); ++w) {
      const int position = static_cast<int>(windows[w].size());
      peer.feed(question, position, static_cast<int>(w));
      const Peer::Answer answer = peer.greedy(position + static_cast<int>(question.size()), static_cast<int>(w), most, 1);
      steps += answer.steps.size();
      answers[w].push_back(peer.detokenize(answer.ids));
      rewind(w);
    }
  }
  std::printf("{\"windows\":%zu,\"windowTokens\":%zu,\"questions\":%zu,\"prefillSeconds\":%s,\"questionSeconds\":%s,\"questionTokens\":%zu,\"answerTokens\":%zu,\"answers\":%s}\n",
              windows.size(), total, questions.size(), number(filled - start).c_str(), number(now() - filled).c_str(), asked, steps,
              array_of(answers, [](const auto& row) { return array_of(row, quoted); }).c_str());
}

}  // namespace peer

int main(int argc, char** argv) {
  struct Command { const char* name; void (*run)(const peer::Options&); std::vector<std::string> options; };
  const std::vector<Command> commands = {
      {"tokenize", peer::tokenize, {"--file", "--special"}},
      {"ask", peer::ask, {"--golden", "--top", "--max"}},
      {"generate", peer::generate, {"--prompt-file", "-n", "--top", "--special"}},
      {"logits", peer::logits, {"--tokens", "--out"}},
      {"dequantize", peer::dequantize, {"--out"}},
      {"speed", peer::speed, {"--prefill", "--decode", "--depth", "--repeat", "--tile"}},
      {"reader-speed", peer::reader_speed, {"--windows", "--questions", "--max", "--parallel"}},
  };
  for (const Command& command : commands) {
    if (argc < 2 || command.name != std::string(argv[1])) continue;
    std::vector<std::string> known = command.options;
    known.insert(known.end(), {"--model", "--threads", "--no-repack"});
    command.run(peer::Options(argc, argv, known));
    return 0;
  }
  peer::die("expected a subcommand (tokenize, ask, generate, logits, dequantize, speed, reader-speed), found none that is known: see bench/peer/FORMATS.md");
}
