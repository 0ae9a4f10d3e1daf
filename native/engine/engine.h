// The public door of the engine: two nouns, Engine (a loaded model) and Session (one timeline of tokens), and one verb,
// sync(full prefix). Everything else (what was cached, what must be computed, what is batched with what) is the engine's business.
//
// Owns: model life, sessions, the scheduler that batches their work. Leaves to callers: text, templates, grammar compilation.
// Threads: every method may be called from any thread. Work is queued and returns at once; callbacks run on the engine's own
// driver thread, must not block, and the last one (`done`) is always called exactly once, also on cancel, error and shutdown.
// Rule that must stay true: same model, tokens and options give the same logits bit for bit, whatever shared the batch.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "native/base/status.h"
#include "native/kv/kv.h"

namespace codicil {

using kv::Token;

// Who waits for a job. Batch work gets what interactive work leaves of every step, and a small share of it always.
enum class Priority : std::uint8_t { interactive, batch };

// Guessing tokens so that one step confirms several; every token is the same with and without. `lookup` guesses from the session's own tokens
// (answers quote), `mtp` by the model's own head where the file has one and memory has room for it, `automatic` by lookup and else by that head;
// all of them as far as it is measured to pay.
enum class Drafting : std::uint8_t { off, lookup, mtp, automatic };

std::optional<Drafting> drafting_named(std::string_view name);  // "off", "lookup", "mtp", "auto"
std::string_view drafting_name(Drafting drafting);

struct EngineOptions {
  std::string model_path;
  int threads = 0;                     // 0: one per physical core that this process may use
  std::uint64_t ram_budget_bytes = 0;  // for KV pages; 0: a quarter of the memory that is free
  // For everything: weights, pages, states, scratch. Weights that do not fit are read from the file while the model runs: experts through a
  // cache of whole ones, the layers of a dense model in turn. 0: what the machine has free.
  std::uint64_t memory_budget_bytes = 0;
  bool reserve = false;             // takes the memory of one whole context at once, so that no later step can lack it
  std::int64_t context_tokens = 0;  // per session; 0: what the model was trained for, at most 262,144
  std::int64_t batch_tokens = 512;  // most tokens in one step; also the cancel granularity of prefill. Streamed weights: at least 2,048
  std::string store_folder;         // where full pages are kept on disk; empty: nowhere
  std::uint64_t store_budget_bytes = std::uint64_t{16} << 30;
  std::string checksum_folder;              // where a CRC of every tensor is recorded at the first load and checked at every other; empty: nowhere
  std::string second_copy;                  // another file of the model: read where a checksum says that the first is damaged; empty: none
  std::string kv_format;                    // of keys and values: "f16", "q8_0", "k8v5", "k8v4", "q4", "nf4"; empty: as the plan chooses
  std::string instruction_set;              // "reference", "avx2", "avx512"; empty: the best this machine can run
  Drafting drafting = Drafting::automatic;  // off and lookup: a head for it is not loaded
  // Set by whoever can wait no longer, and never reset: opening ends as cancelled at the next part of the weights, jobs at the next piece of their
  // step. Closing the engine sets it too, so each engine has its own; null: one that nobody else sees.
  std::shared_ptr<std::atomic<bool>> stop;
  std::string sensor_folder;  // holds `proc` and `sys` to read instead of the system's own (tests); empty: the system's
};

struct ModelInfo {
  std::string name, architecture, file_type, chat_template, license;
  std::uint64_t parameters = 0, file_bytes = 0;
  std::int64_t context_tokens = 0, vocab = 0, layers = 0, embedding = 0, heads = 0, kv_heads = 0, head_dim = 0;
  Token bos = -1, eos = -1;       // -1: the model has none
  bool add_bos = false;           // the file asks for bos in front of a text; templates say themselves where it goes
  std::vector<Token> end_tokens;  // every token that ends a turn
};

// Bytes of one kind in one place.
struct PlanPart {
  std::string tier;  // "ram", "ssd"
  std::string tag;   // "trunk", "experts", "layers", "kv", "state", "scratch", "program"
  std::uint64_t bytes = 0;
};
// What a token will take, and on what most of that time goes.
struct PlannedSpeed {
  double tokens_per_s = 0;
  std::string bottleneck;  // one sentence with the bytes or operations, and the rate of this machine that they are divided by
};

// What would be allocated, before anything is.
struct Plan {
  std::int64_t context_tokens = 0;
  std::int64_t input_tokens = 0;      // of these; the rest is headroom for questions and answers
  std::uint64_t weight_bytes = 0;     // in RAM
  std::uint64_t kv_bytes = 0;         // of one full context, in RAM
  std::uint64_t kv_ssd_bytes = 0;     // of it, on SSD
  std::uint64_t scratch_bytes = 0;    // activations, logits, reading threads
  std::uint64_t state_bytes = 0;      // recurrent states of one session, with those that are kept on the way
  std::uint64_t program_bytes = 0;    // tokenizer, tables, the program's own
  std::uint64_t streamed_bytes = 0;   // weights that are read from the file while the model runs
  std::uint64_t available_bytes = 0;  // the budget, or what is free
  std::vector<PlanPart> parts;        // all of the above
  std::uint64_t used_bytes() const { return weight_bytes + kv_bytes + scratch_bytes + state_bytes + program_bytes; }
  bool fits = false;
  std::int64_t largest_context_tokens = 0;    // nearest thing that fits
  std::string advice;                         // one sentence; empty where it fits
  std::string bottleneck;                     // of an answer, one sentence
  PlannedSpeed prefill, decode, decode_full;  // from an empty context; decode_full: at the end of a full one
  double streamed_bytes_per_token = 0;        // of decode
  double expert_hit_share = 0;                // of the experts that tokens choose, in the cache; 1: all are in memory
  std::string measured_on;                    // day of the machine's measurements
  std::string kv_format;                      // of keys and values
  // What guesses, never automatic; mtp: the head is loaded, and where automatic was asked for lookup goes before it.
  Drafting drafting = Drafting::lookup;
};

// A finite automaton over tokens that says what may be generated next. State 0 is first.
struct TokenMask {
  struct Edge {
    Token token;
    std::int32_t next;
  };
  struct State {
    std::vector<Edge> edges;     // sorted by token
    std::int32_t any_next = -1;  // >= 0: every other token is allowed too and leads there
    bool may_end = false;        // an end token is allowed here
  };
  std::vector<State> states;
};

struct GenerateOptions {
  std::int64_t max_tokens = 256;
  float temperature = 0;  // 0: greedy, lowest id wins a tie
  int top_k = 0;          // 0: off
  float top_p = 1, min_p = 0, repetition_penalty = 1;
  float presence_penalty = 0;  // taken once from the logit of every token of the recent history
  std::uint64_t seed = 0;
  std::vector<std::string> stop;          // generation ends before the first of these
  std::shared_ptr<const TokenMask> mask;  // null: everything is allowed
  bool step_masks = false;                // every step waits for Session::offer_mask (grammars that are computed beside the engine)
  std::vector<Token> probes;              // report log p of these at the first step, before the mask
  int top_logits = 0;                     // report this many best (token, logit) of every step
  Priority priority = Priority::interactive;
  Drafting drafting = Drafting::automatic;  // within what the engine was opened with; with step_masks nothing is guessed
  int draft_tokens = 0;                     // guesses a step; 0: as many as are measured to pay
};

struct TopLogit {
  Token token;
  float logit;
};
struct Generated {
  std::vector<Token> tokens;  // without the end token
  std::string text;
  enum class End { end_token, max_tokens, stop_string, mask, context_full, cancelled } end = End::end_token;
  std::vector<double> probe_logprobs;      // same order as GenerateOptions::probes
  std::vector<double> logprobs;            // of each generated token, before the mask
  std::vector<std::vector<TopLogit>> top;  // [step][top_logits]
};

// What is on disk now against what was recorded at the first load.
struct VerifyReport {
  bool recorded_now = false;  // there was no record: it was made, and says nothing yet
  std::uint64_t tensors = 0, bytes = 0;
  std::vector<std::string> damaged;  // tensors, in file order
  std::string sidecar;               // the record's path
};

// Who waits, and what of a prefix others will have in common with it and so is kept (kv/FORMAT.md) beside the full pages.
struct SyncOptions {
  // Positions (tokens from the beginning: the end of the system prompt, of a document) to keep a snapshot at. With a list, pages behind its last
  // position stay out of the store, and so does what is generated; an empty list keeps nothing on disk. Without: the end of the prefix and the end
  // of every turn generated from it. Long recurrent prefixes have one every 8,192 tokens in any case.
  std::optional<std::vector<std::int64_t>> keep;
  std::string owner;  // the document whose text it is: letters, digits, - and _, at most 64; empty: nobody's, goes with its beginning or by eviction
  Priority priority = Priority::interactive;
};

struct SyncReport {
  std::int64_t reused_tokens = 0, computed_tokens = 0;
  double ms = 0;
};
struct SyncProgress {
  std::int64_t done_tokens = 0, total_tokens = 0;
};

// What the machine says of itself, read about once a second. What it does not tell is absent, never 0.
struct MachineTelemetry {
  std::optional<double> cpu_celsius, cpu_mhz, cpu_base_mhz;
  std::optional<double> memory_some_percent, memory_full_percent;  // of the last 10 seconds in which work waited for memory (Linux PSI)
  std::optional<std::uint64_t> memory_available_bytes, disk_free_bytes, disk_free_inodes;
  std::optional<std::uint64_t> page_faults_from_disk;  // of this process, since it began
  std::string pace = "full";                           // "full", "slower", "pause": of reading
  std::string pace_reason;                             // of the pace; empty: full
  bool disk_is_low = false;
};

struct EngineStats {
  double prefill_tokens_per_s = 0, decode_tokens_per_s = 0;                // over the last second of such work
  std::uint64_t prefill_tokens = 0, decode_tokens = 0, reused_tokens = 0;  // since open
  std::uint64_t weight_bytes = 0, scratch_bytes = 0, resident_bytes = 0;   // resident: of the whole process
  std::uint64_t streamed_bytes = 0;                                        // of weights, read from the file since open
  std::uint64_t expert_hits = 0, expert_misses = 0;                        // of streamed experts
  int sessions = 0, running = 0, queued = 0, threads = 0;
  std::string instruction_set;
  kv::StoreStats kv;
  double first_token_ms = 0;                              // of the last generation: from when it was asked for to its first token
  std::uint64_t drafted_tokens = 0, accepted_tokens = 0;  // guesses, and those that came true, since open
  MachineTelemetry machine;
};

class Session {
 public:
  virtual ~Session() = default;  // cancels what still runs
  // Makes the session hold exactly `prefix`; only what no cached page covers is computed.
  virtual void sync(std::vector<Token> prefix, SyncOptions options, std::function<void(SyncProgress)> progress,
                    std::function<void(Result<SyncReport>)> done) = 0;
  void sync(std::vector<Token> prefix, std::function<void(SyncProgress)> progress, std::function<void(Result<SyncReport>)> done,
            Priority priority = Priority::interactive) {
    SyncOptions options;
    options.priority = priority;
    sync(std::move(prefix), std::move(options), std::move(progress), std::move(done));
  }
  // Continues from what the session holds. `on_text` gets whole UTF-8 characters only (token -1: text that had been
  // held back). Generated tokens stay in the session. Cancelled, it still ends with what it has (End::cancelled).
  virtual void generate(GenerateOptions options, std::function<void(Token, std::string_view)> on_text,
                        std::function<void(Result<Generated>)> done) = 0;
  // For a generation with step_masks: what may come after its first `step` tokens; bit t % 32 of word t / 32 allows token t, end tokens
  // included, and tokens behind the last word are not allowed. Offer step 0 after calling generate and step n once token n - 1 came to
  // on_text: the model computes meanwhile. A step whose mask is not there waits without holding up other sessions, until cancel at worst.
  // One mask is kept, the last; one that no step asks for is dropped when the generation ends: let one end before the next is queued.
  virtual void offer_mask(std::int64_t step, std::vector<std::uint32_t> bits) = 0;
  // Log-probabilities of `continuation` after what the session holds; the session is left as it was.
  virtual void score(std::vector<Token> continuation, std::function<void(Result<std::vector<double>>)> done) = 0;
  virtual std::int64_t tokens() const = 0;
  virtual Result<std::unique_ptr<Session>> fork() = 0;  // invalid_request while a job of this session runs
  virtual void cancel() = 0;                            // ends the current and queued jobs of this session
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> open(const EngineOptions& options, std::function<void(double)> progress);
  static Result<ModelInfo> inspect(const std::string& model_path);  // header only, milliseconds
  static Result<Plan> plan(const EngineOptions& options);
  // Reads every tensor of model_path once, against checksum_folder; invalid_request without one. The second copy is not used.
  static Result<VerifyReport> verify(const EngineOptions& options);
  virtual ~Engine() = default;  // every open job ends as cancelled
  virtual const ModelInfo& model() const = 0;
  // `special`: text such as <|im_end|> becomes its token. False for everything that a document or a person wrote.
  virtual Result<std::vector<Token>> tokenize(std::string_view text, bool special) const = 0;
  virtual std::string detokenize(std::span<const Token> tokens) const = 0;
  virtual Result<std::unique_ptr<Session>> open_session() = 0;
  virtual EngineStats stats() const = 0;
  // Tokens of the prefix that a session would not have to compute, by what is kept; nothing is read. 0 without a store.
  virtual std::int64_t known(std::span<const Token> prefix) const = 0;
  // Removes from disk and memory what is kept for this owner and for no other. Close its sessions first. Blocks while what is queued is written.
  virtual Result<kv::Forgotten> forget(const std::string& owner) = 0;
  // The same for all models that ever kept something in the folder, none of which need be open.
  static Result<kv::Forgotten> forget_stored(const std::string& store_folder, const std::string& owner);
  static Result<kv::Forgotten> clear_stored(const std::string& store_folder);  // everything
  static Result<kv::Stored> list_stored(const std::string& store_folder);
  // Logits of every position of `tokens` from an empty session (evaluation): calls `row` with [vocab] f32 per position, in order.
  virtual Status evaluate(std::span<const Token> tokens, std::function<void(std::int64_t, std::span<const float>)> row) = 0;
};

}  // namespace codicil
