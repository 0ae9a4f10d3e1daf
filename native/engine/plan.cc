// Engine::plan: what a model would take, from its real geometry, before anything is allocated.
//
// Owns: bytes by tag and the largest context that fits. Leaves measuring the machine to native/device.
// Rule that must stay true: the numbers come from the same packing and page sizes that loading uses, so plan and use cannot drift apart.
#include "native/engine/plan.h"

#include <algorithm>
#include <string>

#include "native/device/machine.h"
#include "native/kv/kv.h"
#include "native/model/forward.h"
#include "native/model/weights.h"

namespace codicil {

namespace {

Result<const kernels::Ops*> table_named(const std::string& name) {
  if (name.empty()) return &kernels::best_cpu();
  if (name == "reference") return &kernels::reference();
  const kernels::Ops* ops = kernels::find_cpu(name.c_str());
  if (ops == nullptr)
    return Status(Code::invalid_request,
                  "expected an instruction set that this machine runs (reference, avx2, avx512), found " + name + ": leave it out to get the best");
  return ops;
}

Result<kv::Format> format_named(const std::string& name, const model::ModelConfig& config) {
  for (const kv::Format format : kv::kFormats) {
    if (name != kv::format_name(format)) continue;
    if (format == kv::Format::f16 || config.head_dim % kv::kFormatBlock == 0) return format;
    return Status(Code::invalid_request, "expected heads of a multiple of " + std::to_string(kv::kFormatBlock) + " numbers for keys and values in " +
                                             name + ", found " + std::to_string(config.head_dim) + ": choose f16");
  }
  return Status(Code::invalid_request, "expected a format of keys and values (f16, q8_0, k8v4, q4, nf4), found " + name + ": choose one of them");
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

Result<Blueprint> draw(const EngineOptions& options) {
  if (options.threads < 0 || options.context_tokens < 0 || options.batch_tokens < 1) {
    return Status(Code::invalid_request, "expected threads and context of 0 or more and batch_tokens of at least 1, found " +
                                             std::to_string(options.threads) + ", " + std::to_string(options.context_tokens) + " and " +
                                             std::to_string(options.batch_tokens) + ": correct the options");
  }
  Result<const kernels::Ops*> ops = table_named(options.instruction_set);
  if (!ops.ok()) return ops.status();
  Result<model::Gguf> gguf = model::Gguf::read_file(options.model_path);
  if (!gguf.ok()) return gguf.status();
  Result<model::ModelConfig> config = model::read_config(gguf.value());
  if (!config.ok()) return config.status();
  Blueprint out{std::move(gguf).value(), std::move(config).value(), ops.value(), options.threads, options.ram_budget_bytes, 0, {}, {}};
  const model::ModelConfig& c = out.config;
  if (options.context_tokens > c.context_tokens) {
    return Status(Code::invalid_request, "expected a context of at most the " + std::to_string(c.context_tokens) +
                                             " tokens that the model was trained for, found " + std::to_string(options.context_tokens) +
                                             ": ask for less");
  }
  const device::Machine machine = device::read_machine();
  if (out.threads == 0) out.threads = std::max(1, machine.physical_cores);

  Result<kv::Format> format = format_named(options.kv_format, c);
  if (!format.ok()) return format.status();
  out.kv_format = format.value();
  const std::uint64_t page = model::Forward::page_shape(c, 0, out.kv_format).page_bytes();
  Result<std::uint64_t> weight_bytes = model::ModelWeights::planned_bytes(out.gguf, c, *out.ops);
  if (!weight_bytes.ok()) return weight_bytes.status();

  Plan& plan = out.plan;
  plan.context_tokens = options.context_tokens > 0 ? options.context_tokens : c.context_tokens;
  plan.weight_bytes = weight_bytes.value();
  plan.kv_bytes = static_cast<std::uint64_t>((plan.context_tokens + kv::kPageTokens - 1) / kv::kPageTokens) * page;
  plan.scratch_bytes = model::Forward::planned_scratch_bytes(c, out.threads, std::min(options.batch_tokens, plan.context_tokens));
  plan.available_bytes = machine.memory_available_bytes;
  const std::uint64_t fixed = plan.weight_bytes + plan.scratch_bytes;
  const std::uint64_t left = plan.available_bytes > fixed ? plan.available_bytes - fixed : 0;
  // Without a budget: a quarter of what is free, so that the rest of the machine goes on; but one full context at least, if it fits at all.
  if (out.ram_budget_bytes == 0) out.ram_budget_bytes = std::max(plan.available_bytes / 4, std::min(plan.kv_bytes, left));
  const std::uint64_t for_pages = std::min(left, out.ram_budget_bytes);
  // States beside the pages: the shortest useful history of one sequence at least (its system prompt, its documents, its last two turns).
  constexpr std::uint64_t kLeastStates = 4;
  const std::uint64_t state_bytes = static_cast<std::uint64_t>(c.recurrent_floats()) * sizeof(float);
  if (state_bytes > 0) out.snapshot_budget_bytes = std::max(out.ram_budget_bytes / 4, kLeastStates * (state_bytes + (1 << 16)));
  // What RAM has no room for is on SSD, if a folder is given and RAM takes a step's pages.
  std::uint64_t room = for_pages;
  const kv::PageShape shape = model::Forward::page_shape(c, 0, out.kv_format);
  if (!options.store_folder.empty() && for_pages >= kv::PageStore::least_streaming_bytes(shape, std::min(options.batch_tokens, plan.context_tokens)))
    room = std::max(for_pages, options.store_budget_bytes);
  plan.fits = plan.kv_bytes <= room && left > 0;
  plan.largest_context_tokens = std::min<std::int64_t>(c.context_tokens, static_cast<std::int64_t>(room / page) * kv::kPageTokens);
  plan.bottleneck = plan.fits ? "Answers are limited by memory speed (each token reads " + mib(plan.weight_bytes) +
                                    " of weights), reading by arithmetic on " + std::to_string(out.threads) + " cores."
                              : "Memory: " + mib(fixed + plan.kv_bytes) + " are needed, " + mib(plan.available_bytes) + " are free and " +
                                    mib(out.ram_budget_bytes) + " of them are for context.";
  return out;
}

}  // namespace codicil
