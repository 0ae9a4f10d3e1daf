// Engine::plan: what a model would take, from its real geometry, before anything is allocated.
//
// Owns: bytes by tier and tag, what of the weights is held in memory, the largest context that fits. Leaves speeds to forecast.cc, measuring the
// machine to native/device.
// Rule that must stay true: the numbers come from the same list of tensors, packing and page sizes that loading uses, so plan and use cannot
// drift apart.
#include "native/engine/plan.h"

#include <algorithm>
#include <array>
#include <string>

#include "native/device/machine.h"
#include "native/kv/kv.h"
#include "native/model/forward.h"
#include "native/model/weight_stream.h"
#include "native/model/weights.h"

namespace codicil {

namespace {

constexpr int kMostThreads = 1024;  // more than any machine of today has cores; each takes a stack

Result<const kernels::Ops*> table_named(const std::string& name) {
  if (name.empty()) return &kernels::best_cpu();
  if (name == "reference") return &kernels::reference();
  const kernels::Ops* ops = kernels::find_cpu(name.c_str());
  if (ops == nullptr)
    return Status(Code::invalid_request,
                  "expected an instruction set that this machine runs (reference, avx2, avx512), found " + name + ": leave it out to get the best");
  return ops;
}

// What the plan chooses of, the most exact first. FORMAT.md has what each costs in answers; with fewer bits they change too often.
constexpr std::array kChoice = {kv::Format::f16, kv::Format::q8_0, kv::Format::k8v5, kv::Format::k8v4};
// One context may take a quarter of the memory, and half of what the weights leave of it (where they leave nothing they are streamed through a cache,
// and an eighth must do), before a smaller format is chosen. Memory is the machine's or the budget for everything, and never what is free today:
// what was kept yesterday has yesterday's format.
constexpr std::uint64_t kContextShare = 4, kShareBesideWeights = 2, kShareBesideCache = 8;

Result<kv::Format> format_named(const std::string& name, const model::ModelConfig& config) {
  for (const kv::Format format : kv::kFormats) {
    if (name != kv::format_name(format)) continue;
    if (format == kv::Format::f16 || config.head_dim % kv::kFormatBlock == 0) return format;
    return Status(Code::invalid_request, "expected heads of a multiple of " + std::to_string(kv::kFormatBlock) + " numbers for keys and values in " +
                                             name + ", found " + std::to_string(config.head_dim) + ": choose f16");
  }
  return Status(Code::invalid_request,
                "expected a format of keys and values (f16, q8_0, k8v5, k8v4, q4, nf4), found " + name + ": choose one of them");
}

std::uint64_t page_bytes(const model::ModelConfig& c, kv::Format format) { return model::Forward::page_shape(c, 0, format).page_bytes(); }
std::uint64_t context_bytes(const model::ModelConfig& c, kv::Format format, std::int64_t tokens) {
  return static_cast<std::uint64_t>(kv::pages_of(tokens)) * page_bytes(c, format);
}

kv::Format choose_format(const EngineOptions& options, const model::ModelConfig& c, std::int64_t tokens, std::uint64_t weights,
                         std::uint64_t machine) {
  const std::uint64_t memory = options.memory_budget_bytes > 0 ? std::min(options.memory_budget_bytes, machine) : machine;
  std::uint64_t most = std::min(memory / kContextShare, memory > weights ? (memory - weights) / kShareBesideWeights : memory / kShareBesideCache);
  // Pages for which a budget without a disk behind it has no room are nowhere.
  if (options.ram_budget_bytes > 0 && options.store_folder.empty()) most = std::min(most, options.ram_budget_bytes);
  if (c.head_dim % kv::kFormatBlock != 0) return kv::Format::f16;
  // Heads that are not rotated lose more than was measured: theirs are rounded to 8 bits at most unless someone asks for less.
  const auto* const end = c.head_dim % kv::kRotationBlock == 0 ? kChoice.end() : kChoice.begin() + 2;
  const auto* const found = std::find_if(kChoice.begin(), end, [&](kv::Format f) { return context_bytes(c, f, tokens) <= most; });
  return found != end ? *found : *(end - 1);
}

// The table of means that quantized keys of qwen2 lie without (Forward::extend_key_means), of one context.
std::uint64_t key_means_bytes(const model::ModelConfig& c, kv::Format format, std::int64_t tokens) {
  if (c.architecture != model::Architecture::qwen2 || format == kv::Format::f16) return 0;
  return static_cast<std::uint64_t>(kv::pages_of(tokens) * c.attention_layers() * c.kv_heads * c.head_dim) * sizeof(float);
}

std::string mib(std::uint64_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB"; }

}  // namespace

ModelInfo describe(const model::ModelConfig& c) {
  ModelInfo info;
  info.name = c.name;
  info.architecture = c.architecture_name;
  info.file_type = c.file_type;
  info.chat_template = c.chat_template;
  info.license = c.license;
  info.parameters = c.parameters;
  info.file_bytes = c.file_bytes;
  info.context_tokens = c.context_tokens;
  info.vocab = c.vocab;
  info.layers = c.layers;
  info.embedding = c.embedding;
  info.heads = c.heads;
  info.kv_heads = c.kv_heads;
  info.head_dim = c.head_dim;
  info.bos = c.bos;
  info.eos = c.eos;
  info.add_bos = c.add_bos;
  info.end_tokens = c.end_tokens;
  return info;
}

namespace {

constexpr std::uint64_t kMib = 1 << 20;
// The most that is opened without being asked for: 245,760 tokens of documents and 16,384 of questions and answers.
constexpr std::int64_t kDefaultContext = 262'144;
constexpr std::int64_t kHeadroomShare = 16;  // 16,384 of 262,144; the same share of a smaller window
// A prompt reads streamed weights once per step, so a step is long: at 2,048 tokens the arithmetic of a mixture (3 GMAC a token) takes longer than
// reading it, and activations are still small beside an expert cache.
constexpr std::int64_t kStreamingBatch = 2048;
// Without a budget a model that must be streamed leaves an eighth of the free memory to the rest of the machine.
constexpr std::uint64_t kFreeShare = 8;
constexpr std::uint64_t kStateEvery = 8192;  // Scheduler's distance between the states of a long prompt
// The program before it has a model: its heap, the stacks and arenas of its threads. Measured: bench/engine/plan.mjs.
constexpr std::uint64_t kProgramBytes = 6 * kMib;
constexpr std::uint64_t kBytesPerToken = 220;  // of a vocabulary, in the tokenizer's tables; measured in the same way

std::uint64_t tokenizer_bytes(const model::ModelConfig& c) { return static_cast<std::uint64_t>(c.vocab) * kBytesPerToken; }

// States of one session: its own, one at every kStateEvery tokens of a full context, and two at its end.
std::uint64_t planned_state_bytes(const model::ModelConfig& c, std::int64_t context, std::uint64_t budget) {
  const std::uint64_t one = static_cast<std::uint64_t>(c.recurrent_floats()) * sizeof(float);
  return one == 0 ? 0 : one + std::min(budget, (static_cast<std::uint64_t>(context - 1) / kStateEvery + 2) * one);
}

Status check(const EngineOptions& options, const model::ModelConfig& c) {
  if (options.context_tokens > c.context_tokens)
    return Status(Code::invalid_request, "expected a context of at most the " + std::to_string(c.context_tokens) +
                                             " tokens that the model was trained for, found " + std::to_string(options.context_tokens) +
                                             ": ask for less");
  return {};
}

// Of the inputs of all products.
std::size_t widest_activation(const model::WeightList& list, std::int64_t tokens) {
  std::size_t widest = 0;
  const auto items = [&](const std::vector<model::WeightItem>& of) {
    for (const model::WeightItem& item : of)
      if (item.ops != nullptr) widest = std::max(widest, item.ops->activation_bytes(item.tensor->type->type, tokens, item.cols));
  };
  items(list.outside.items);
  for (const model::WeightBlock& layer : list.layers) items(layer.items), items(layer.experts);
  return widest;
}

void list_parts(Plan& plan, const model::WeightList& list, const model::Residence& residence) {
  using Way = model::Residence::Way;
  const std::uint64_t experts = list.expert_bytes();
  const std::uint64_t held_experts = residence.way == Way::streamed_experts ? residence.cache_bytes : experts;
  const auto add = [&](const char* tier, const char* tag, std::uint64_t bytes) {
    if (bytes > 0) plan.parts.push_back({tier, tag, bytes});
  };
  add("ram", "trunk", plan.weight_bytes - held_experts);
  add("ram", "experts", held_experts);
  add("ram", "kv", plan.kv_bytes);
  add("ram", "state", plan.state_bytes);
  add("ram", "scratch", plan.scratch_bytes);
  add("ram", "program", plan.program_bytes);
  if (residence.way == Way::streamed_experts) plan.streamed_bytes = experts;
  if (residence.way == Way::streamed_layers)
    for (const std::int64_t layer : residence.layers) plan.streamed_bytes += list.layers[static_cast<std::size_t>(layer)].bytes;
  add("ssd", "kv", plan.kv_ssd_bytes);
  add("ssd", residence.way == Way::streamed_experts ? "experts" : "layers", plan.streamed_bytes);
}

// What does not fit, and the nearest thing that does.
void advise(Blueprint& out, const model::WeightList& list, std::uint64_t for_pages, std::uint64_t page) {
  Plan& plan = out.plan;
  const model::ModelConfig& c = out.config;
  plan.largest_context_tokens = std::min<std::int64_t>(c.context_tokens, static_cast<std::int64_t>(for_pages / page) * kv::kPageTokens);
  if (plan.fits) return;
  const std::uint64_t all = list.trunk_bytes() + list.expert_bytes();
  if (!out.residence.fits) {
    plan.largest_context_tokens = 0;
    plan.advice = "The weights take at least " + mib(out.residence.least_bytes) + " in memory, and " + mib(plan.used_bytes()) + " with all else; " +
                  mib(plan.available_bytes) + " are there: give it more memory, a shorter context or a smaller model.";
    if (all > out.residence.least_bytes) plan.advice += " (All weights are " + mib(all) + ".)";
    return;
  }
  plan.advice = "The context takes " + mib(plan.kv_bytes) + ", and " + mib(for_pages) +
                " are left for it: " + std::to_string(plan.largest_context_tokens) + " tokens fit";
  if (c.head_dim % kv::kFormatBlock == 0 && out.kv_format != kChoice.back()) {
    // The most exact format in which all of it fits, or else the smallest.
    const auto fitting = [&](kv::Format format) { return static_cast<std::int64_t>(for_pages / page_bytes(c, format)) * kv::kPageTokens; };
    const auto* format = std::find_if(kChoice.begin(), kChoice.end() - 1, [&](kv::Format f) { return fitting(f) >= plan.context_tokens; });
    const std::int64_t tokens = std::min(c.context_tokens, fitting(*format));
    if (tokens > plan.largest_context_tokens) plan.advice += ", " + std::to_string(tokens) + " with keys and values as " + kv::format_name(*format);
  }
  plan.advice += ".";
}

}  // namespace

model::WeightList Blueprint::weights() const { return model::list_weights(gguf, config, *ops).value(); }

namespace {

// What goes into the memory: weights, states, scratch and pages, and what of them does not.
Status lay_out(const EngineOptions& options, const device::Machine& machine, Blueprint& out) {
  const model::ModelConfig& c = out.config;
  Result<model::WeightList> listed = model::list_weights(out.gguf, c, *out.ops);
  if (!listed.ok()) return listed.status();
  const model::WeightList& list = listed.value();

  Plan& plan = out.plan;
  plan.context_tokens = options.context_tokens > 0 ? options.context_tokens : std::min(c.context_tokens, kDefaultContext);
  plan.input_tokens = plan.context_tokens - plan.context_tokens / kHeadroomShare;
  plan.available_bytes = machine.memory_available_bytes;
  if (options.memory_budget_bytes > 0) plan.available_bytes = std::min(plan.available_bytes, options.memory_budget_bytes);
  if (options.kv_format.empty())
    out.kv_format = choose_format(options, c, plan.context_tokens, list.trunk_bytes() + list.expert_bytes(), machine.memory_total_bytes);
  plan.kv_format = kv::format_name(out.kv_format);
  const std::uint64_t page = page_bytes(c, out.kv_format);
  plan.kv_bytes = context_bytes(c, out.kv_format, plan.context_tokens);
  plan.program_bytes = kProgramBytes + tokenizer_bytes(c);
  const auto activation_bytes = [&](std::int64_t tokens) { return widest_activation(list, tokens); };
  const auto scratch = [&](std::int64_t batch) {
    out.batch_tokens = std::min(batch, plan.context_tokens);
    plan.scratch_bytes = model::Forward::planned_scratch_bytes(c, out.threads, out.batch_tokens, activation_bytes) +
                         static_cast<std::uint64_t>(out.batch_tokens * c.embedding) * sizeof(float) +
                         key_means_bytes(c, out.kv_format, plan.context_tokens);
  };
  // States beside the pages: the shortest useful history of one sequence at least (its system prompt, its documents, its last two turns).
  constexpr std::uint64_t kLeastStates = 4;
  const std::uint64_t state_bytes = static_cast<std::uint64_t>(c.recurrent_floats()) * sizeof(float);
  const auto states = [&] {
    if (state_bytes > 0) out.snapshot_budget_bytes = std::max(out.ram_budget_bytes / 4, kLeastStates * (state_bytes + (1 << 16)));
    plan.state_bytes = planned_state_bytes(c, plan.context_tokens, out.snapshot_budget_bytes);
  };
  scratch(options.batch_tokens);
  states();
  const auto left_beside = [&](std::uint64_t weights) {
    const std::uint64_t fixed = weights + plan.scratch_bytes + plan.program_bytes + plan.state_bytes;
    return plan.available_bytes > fixed ? plan.available_bytes - fixed : 0;
  };
  const std::uint64_t pages = options.ram_budget_bytes > 0 ? std::min(options.ram_budget_bytes, plan.kv_bytes) : plan.kv_bytes;
  const std::uint64_t for_weights = left_beside(0) > pages ? left_beside(0) - pages : 0;
  out.residence = model::choose_residence(list, for_weights);
  if (out.residence.way != model::Residence::Way::all) {
    if (options.memory_budget_bytes == 0) plan.available_bytes -= plan.available_bytes / kFreeShare;
    scratch(std::max(options.batch_tokens, kStreamingBatch));
    plan.scratch_bytes += model::WeightStream::planned_staging_bytes(list);
    out.residence = model::choose_residence(list, left_beside(0) > pages ? left_beside(0) - pages : 0);
  }
  plan.weight_bytes = out.residence.bytes;
  const std::uint64_t left = left_beside(plan.weight_bytes);
  // Without a budget: a quarter of what is free, so that the rest of the machine goes on; but one full context at least, if it fits at all.
  // Beside streamed weights, which take all that pages leave: one full context.
  const bool streams = out.residence.way != model::Residence::Way::all;
  if (out.ram_budget_bytes == 0)
    out.ram_budget_bytes = streams ? std::min(plan.kv_bytes, left) : std::max(plan.available_bytes / 4, std::min(plan.kv_bytes, left));
  const std::uint64_t for_pages = std::min(left, out.ram_budget_bytes);
  states();
  // Pages that memory has no room for are on SSD, if a folder is given and memory takes a step's pages.
  std::uint64_t room = for_pages;
  const kv::PageShape shape = model::Forward::page_shape(c, 0, out.kv_format);
  if (!options.store_folder.empty() && for_pages >= kv::PageStore::least_streaming_bytes(shape, out.batch_tokens))
    room = std::max(for_pages, options.store_budget_bytes);
  plan.fits = plan.kv_bytes <= room && left > 0 && out.residence.fits;
  if (room > for_pages && plan.kv_bytes > for_pages) {
    plan.kv_ssd_bytes = plan.kv_bytes - for_pages;
    plan.kv_bytes = for_pages;
  }
  list_parts(plan, list, out.residence);
  advise(out, list, room, page);
  return {};
}

}  // namespace

Result<Blueprint> draw(const EngineOptions& options) {
  if (options.threads < 0 || options.threads > kMostThreads || options.context_tokens < 0 || options.batch_tokens < 1) {
    return Status(Code::invalid_request, "expected threads in 0.." + std::to_string(kMostThreads) +
                                             ", a context of 0 or more and batch_tokens of at least 1, found " + std::to_string(options.threads) +
                                             ", " + std::to_string(options.context_tokens) + " and " + std::to_string(options.batch_tokens) +
                                             ": correct the options");
  }
  Result<const kernels::Ops*> ops = table_named(options.instruction_set);
  if (!ops.ok()) return ops.status();
  Result<model::Gguf> gguf = model::Gguf::read_file(options.model_path);
  if (!gguf.ok()) return gguf.status();
  Result<model::ModelConfig> config = model::read_config(gguf.value());
  if (!config.ok()) return config.status();
  Blueprint out{std::move(gguf).value(), std::move(config).value(), ops.value(), options.threads, options.ram_budget_bytes, 0, 1, {}, {}, {}};
  const model::ModelConfig& c = out.config;
  if (Status status = check(options, c); !status.ok()) return status;
  const device::Machine machine = device::read_machine();
  if (out.threads == 0) out.threads = std::max(1, machine.physical_cores);
  if (!options.kv_format.empty()) {
    Result<kv::Format> format = format_named(options.kv_format, c);
    if (!format.ok()) return format.status();
    out.kv_format = format.value();
  }
  if (options.drafting == Drafting::off || options.drafting == Drafting::lookup) out.config.drop_mtp();
  if (Status status = lay_out(options, machine, out); !status.ok()) return status;
  // A head is there beside all the rest or not at all: a guess that waits for the disk costs more than it saves.
  if (c.mtp_layers > 0 && !(out.plan.fits && out.residence.way == model::Residence::Way::all)) {
    out.config.drop_mtp();
    out.ram_budget_bytes = options.ram_budget_bytes;
    out.plan = {};
    if (Status status = lay_out(options, machine, out); !status.ok()) return status;
  }
  out.plan.drafting = options.drafting;
  if (options.drafting == Drafting::automatic) out.plan.drafting = c.mtp_layers > 0 ? Drafting::mtp : Drafting::lookup;
  if (options.drafting == Drafting::mtp && c.mtp_layers == 0) out.plan.drafting = Drafting::off;
  return out;
}

}  // namespace codicil
