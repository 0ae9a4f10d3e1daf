// Engine and Session: the public door over weights, pages and scheduler.
//
// Owns: opening in the right order, the life of the parts, translating method calls into jobs. Leaves work to scheduler.cc,
// estimates to plan.cc.
// Rule that must stay true: sessions may outlive the Engine object: they keep the parts alive, and their jobs end as engine_down.

#include "native/engine/engine.h"

#include <algorithm>
#include <cstring>
#include <future>

#include "native/base/log.h"
#include "native/base/threads.h"
#include "native/device/machine.h"
#include "native/engine/forecast.h"
#include "native/engine/plan.h"
#include "native/engine/scheduler.h"
#include "native/kv/snapshots.h"
#include "native/kv/store_upkeep.h"
#include "native/model/config.h"
#include "native/model/expert_cache.h"
#include "native/model/forward.h"
#include "native/model/gguf.h"
#include "native/model/tensor_file.h"
#include "native/model/tokenizer.h"
#include "native/model/weights.h"

namespace codicil {

namespace {

// Everything that lives as long as an engine or one of its sessions. Destroyed from the bottom up.
struct Core {
  Core(model::ModelConfig config_in, ModelInfo info_in, model::Tokenizer tokenizer_in, const kernels::Ops& ops_in, int threads)
      : config(std::move(config_in)), info(std::move(info_in)), tokenizer(std::move(tokenizer_in)), ops(ops_in), pool(threads) {}
  const model::ModelConfig config;
  const ModelInfo info;
  const model::Tokenizer tokenizer;
  const kernels::Ops& ops;
  ThreadPool pool;
  std::shared_ptr<std::atomic<bool>> stop;
  model::ModelWeights weights;
  std::unique_ptr<model::Forward> forward;
  std::unique_ptr<kv::PageStore> store;
  std::unique_ptr<kv::SnapshotStore> snapshots;
  std::unique_ptr<Scheduler> scheduler;
};

std::function<device::Telemetry()> sensors_of(const EngineOptions& options) {
  device::TelemetryRoots roots;
  if (!options.sensor_folder.empty()) roots = {options.sensor_folder + "/proc", options.sensor_folder + "/sys"};
  return [roots, disk = options.store_folder.empty() ? std::string(".") : options.store_folder] { return device::read_telemetry(disk, roots); };
}

constexpr std::uint64_t kCachedFileBytes = std::uint64_t{256} << 20;

// Takes the pages of a whole context and gives them back to the store, which keeps their memory. Written to, because the system gives memory
// only to who does.
Status reserve_pages(kv::PageStore& store, std::int64_t tokens, const std::atomic<bool>& stop) {
  const std::unique_ptr<kv::PageTable> table = kv::PageTable::create(store);
  if (Status status = table->reserve(tokens); !status.ok()) return status;
  for (std::int64_t page = 0; page * kv::kPageTokens < tokens && !stop; ++page) {
    kv::Pin pin = table->pin(page);
    std::memset(pin.writable_data(), 0, store.shape().page_bytes());
  }
  return {};
}

Status not_an_owner(const std::string& owner) {
  return Status(Code::invalid_request,
                "expected an owner of at most 64 letters, digits, - and _, found \"" + owner.substr(0, 80) + "\": use the document's id");
}

class SessionImpl final : public Session {
 public:
  SessionImpl(std::shared_ptr<Core> core, std::shared_ptr<SessionState> state) : core_(std::move(core)), state_(std::move(state)) {}
  ~SessionImpl() override {
    core_->scheduler->cancel(*state_);
    core_->scheduler->session_closed();
  }
  SessionImpl(const SessionImpl&) = delete;
  SessionImpl& operator=(const SessionImpl&) = delete;

  void sync(std::vector<Token> prefix, SyncOptions options, std::function<void(SyncProgress)> progress,
            std::function<void(Result<SyncReport>)> done) override {
    auto job = std::make_unique<Job>();
    job->kind = Job::Kind::sync;
    job->priority = options.priority;
    job->keeping = std::move(options);
    job->tokens = std::move(prefix);
    job->on_progress = std::move(progress);
    job->on_synced = std::move(done);
    core_->scheduler->submit(state_, std::move(job));
  }

  void generate(GenerateOptions options, std::function<void(Token, std::string_view)> on_text, std::function<void(Result<Generated>)> done) override {
    auto job = std::make_unique<Job>();
    job->kind = Job::Kind::generate;
    job->priority = options.priority;
    job->options = std::move(options);
    job->on_text = std::move(on_text);
    job->on_generated = std::move(done);
    core_->scheduler->submit(state_, std::move(job));
  }

  void offer_mask(std::int64_t step, std::vector<std::uint32_t> bits) override { core_->scheduler->offer_mask(*state_, step, std::move(bits)); }

  void score(std::vector<Token> continuation, std::function<void(Result<std::vector<double>>)> done) override {
    auto job = std::make_unique<Job>();
    job->kind = Job::Kind::score;
    job->tokens = std::move(continuation);
    job->on_scored = std::move(done);
    core_->scheduler->submit(state_, std::move(job));
  }

  std::int64_t tokens() const override { return state_->token_count.load(); }

  Result<std::unique_ptr<Session>> fork() override {
    Result<std::shared_ptr<SessionState>> copy = core_->scheduler->fork(*state_);
    if (!copy.ok()) return copy.status();
    return std::unique_ptr<Session>(std::make_unique<SessionImpl>(core_, std::move(copy).value()));
  }

  void cancel() override { core_->scheduler->cancel(*state_); }

 private:
  std::shared_ptr<Core> core_;  // before state_: the pages of a table go back to a store that still lives
  std::shared_ptr<SessionState> state_;
};

class EngineImpl final : public Engine {
 public:
  explicit EngineImpl(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  ~EngineImpl() override { core_->scheduler->shut_down(); }
  EngineImpl(const EngineImpl&) = delete;
  EngineImpl& operator=(const EngineImpl&) = delete;

  const ModelInfo& model() const override { return core_->info; }
  Result<std::vector<Token>> tokenize(std::string_view text, bool special) const override { return core_->tokenizer.encode(text, special); }
  std::string detokenize(std::span<const Token> tokens) const override { return core_->tokenizer.decode(tokens); }

  Result<std::unique_ptr<Session>> open_session() override {
    return std::unique_ptr<Session>(std::make_unique<SessionImpl>(core_, core_->scheduler->open_session()));
  }

  EngineStats stats() const override {
    EngineStats out;
    core_->scheduler->fill(out);
    out.weight_bytes = core_->weights.bytes();
    out.scratch_bytes = core_->forward->scratch_bytes() + core_->scheduler->scratch_bytes();
    out.resident_bytes = device::resident_bytes();
    out.streamed_bytes = core_->weights.bytes_streamed();
    if (const model::ExpertCache* cache = core_->weights.expert_cache()) {
      const model::ExpertCacheStats experts = cache->stats();
      out.expert_hits = experts.hits;
      out.expert_misses = experts.misses;
    }
    out.threads = core_->pool.threads();
    out.instruction_set = core_->ops.name;
    out.kv = core_->store->stats();
    return out;
  }

  std::int64_t known(std::span<const Token> prefix) const override { return core_->store->known(prefix, core_->config.is_recurrent()); }

  Result<kv::Forgotten> forget(const std::string& owner) override {
    if (!kv::is_owner(owner)) return not_an_owner(owner);
    core_->snapshots->forget_owner(owner);
    return core_->store->forget_owner(owner);
  }

  Status evaluate(std::span<const Token> tokens, std::function<void(std::int64_t, std::span<const float>)> row) override {
    // Shared: the driver may still be inside set_value when get() returns.
    const auto promise = std::make_shared<std::promise<Status>>();
    auto job = std::make_unique<Job>();
    job->kind = Job::Kind::evaluate;
    job->tokens.assign(tokens.begin(), tokens.end());
    job->on_row = std::move(row);
    job->on_evaluated = [promise](Status status) { promise->set_value(std::move(status)); };
    const std::shared_ptr<SessionState> session = core_->scheduler->open_session();
    core_->scheduler->submit(session, std::move(job));
    Status status = promise->get_future().get();
    core_->scheduler->session_closed();
    return status;
  }

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace

Result<std::unique_ptr<Engine>> Engine::open(const EngineOptions& options, std::function<void(double)> progress) {
  Result<Blueprint> drawn = draw(options);
  if (!drawn.ok()) return drawn.status();
  Blueprint& blueprint = drawn.value();
  if (!blueprint.plan.fits) {
    const Plan& plan = blueprint.plan;
    return Status(Code::does_not_fit, "expected " + std::to_string(plan.used_bytes()) + " bytes of free memory for the model and a context of " +
                                          std::to_string(plan.context_tokens) + " tokens, found " + std::to_string(plan.available_bytes) +
                                          ": choose a context of at most " + std::to_string(plan.largest_context_tokens) +
                                          " tokens, a smaller model, or close other programs. " + plan.advice);
  }
  Result<model::Tokenizer> tokenizer = model::Tokenizer::read(blueprint.gguf);
  if (!tokenizer.ok()) return tokenizer.status();
  auto core = std::make_shared<Core>(blueprint.config, describe(blueprint.config), std::move(tokenizer).value(), *blueprint.ops, blueprint.threads);
  core->stop = options.stop != nullptr ? options.stop : std::make_shared<std::atomic<bool>>(false);

  // A small file is left to the system's cache, where the next start finds it; one that is large beside the memory would push all else out.
  const bool direct = blueprint.gguf.file_bytes() > kCachedFileBytes;
  model::TensorFileOptions file{options.checksum_folder, options.second_copy, direct ? File::Access::direct : File::Access::cached, core->stop};
  Result<model::ModelWeights> weights =
      model::ModelWeights::load(std::move(blueprint.gguf), file, core->config, core->ops, blueprint.residence, progress);
  if (!weights.ok()) return weights.status();
  core->weights = std::move(weights).value();
  const std::int64_t batch_tokens = blueprint.batch_tokens;
  Result<std::unique_ptr<model::Forward>> forward =
      model::Forward::create(core->config, core->weights, core->ops, core->pool, batch_tokens, blueprint.kv_format);
  if (!forward.ok()) return forward.status();
  core->forward = std::move(forward).value();
  const kv::SnapshotShape shape = {model::Forward::page_shape(core->config, core->weights.fingerprint(), blueprint.kv_format),
                                   static_cast<std::uint64_t>(core->config.recurrent_floats()), static_cast<std::uint64_t>(core->config.embedding)};
  Result<std::unique_ptr<kv::PageStore>> store =
      kv::PageStore::open(shape.page, blueprint.ram_budget_bytes,
                          {options.store_folder, options.store_budget_bytes, shape.state_floats, shape.hidden_floats, core->stop});
  if (!store.ok()) return store.status();
  core->store = std::move(store).value();
  if (options.reserve)
    if (Status status = reserve_pages(*core->store, blueprint.plan.context_tokens, *core->stop); !status.ok()) return status;
  core->snapshots = std::make_unique<kv::SnapshotStore>(*core->store, shape, blueprint.snapshot_budget_bytes);
  Result<std::unique_ptr<Scheduler>> scheduler = Scheduler::start(
      {*core->forward, core->config, core->tokenizer, core->ops, core->pool, *core->store, *core->snapshots, blueprint.plan.context_tokens,
       batch_tokens, options.drafting, sensors_of(options), blueprint.residence.way != model::Residence::Way::all, *core->stop});
  if (*core->stop) return Status(Code::cancelled, "expected to open the model, found that this was stopped: open it again if it is still wanted");
  if (!scheduler.ok()) return scheduler.status();
  core->scheduler = std::move(scheduler).value();
  log(LogLevel::info, "model_opened",
      {{"name", core->info.name},
       {"threads", std::to_string(blueprint.threads)},
       {"instruction_set", core->ops.name},
       {"kv_format", kv::format_name(blueprint.kv_format)},
       {"drafting", std::string(drafting_name(blueprint.plan.drafting))},
       {"weight_bytes", std::to_string(core->weights.bytes())},
       {"streamed_weight_bytes", std::to_string(blueprint.plan.streamed_bytes)},
       {"kv_budget_bytes", std::to_string(blueprint.ram_budget_bytes)}});
  return std::unique_ptr<Engine>(std::make_unique<EngineImpl>(std::move(core)));
}

Result<ModelInfo> Engine::inspect(const std::string& model_path) {
  Result<model::Gguf> gguf = model::Gguf::read_file(model_path);
  if (!gguf.ok()) return gguf.status();
  Result<model::ModelConfig> config = model::read_config(gguf.value());
  if (!config.ok()) return config.status();
  return describe(config.value());
}

Result<VerifyReport> Engine::verify(const EngineOptions& options) {
  if (options.checksum_folder.empty()) return Status(Code::invalid_request, "expected the folder where checksums are recorded, found none: name one");
  const Result<model::Gguf> gguf = model::Gguf::read_file(options.model_path);
  if (!gguf.ok()) return gguf.status();
  Result<std::unique_ptr<model::TensorFile>> opened = model::TensorFile::open(gguf.value(), {options.checksum_folder, {}, File::Access::direct, {}});
  if (!opened.ok()) return opened.status();
  model::TensorFile& file = *opened.value();
  VerifyReport report;
  report.sidecar = file.sidecar();
  report.recorded_now = !file.recorded();
  for (const model::GgufTensor& tensor : gguf.value().tensors()) report.tensors += 1, report.bytes += tensor.bytes;
  if (report.recorded_now) {
    if (Status status = file.record(); !status.ok()) return status;
    return report;
  }
  Result<std::vector<std::string>> damaged = file.damaged();
  if (!damaged.ok()) return damaged.status();
  report.damaged = std::move(damaged).value();
  return report;
}

Result<kv::Forgotten> Engine::forget_stored(const std::string& store_folder, const std::string& owner) {
  if (!kv::is_owner(owner)) return not_an_owner(owner);
  return kv::forget_stored(store_folder, owner);
}
Result<kv::Forgotten> Engine::clear_stored(const std::string& store_folder) { return kv::clear_stored(store_folder); }
Result<kv::Stored> Engine::list_stored(const std::string& store_folder) { return kv::list_stored(store_folder); }

Result<Plan> Engine::plan(const EngineOptions& options) {
  Result<Blueprint> drawn = draw(options);
  if (!drawn.ok()) return drawn.status();
  Blueprint& blueprint = drawn.value();
  std::vector<float> heats;
  if (blueprint.residence.way == model::Residence::Way::streamed_experts && !options.checksum_folder.empty()) {
    const Result<std::unique_ptr<model::TensorFile>> file = model::TensorFile::open(blueprint.gguf, {options.checksum_folder, {}, {}, {}});
    const auto count = static_cast<std::size_t>(blueprint.config.layers * blueprint.config.experts.count);
    if (file.ok()) heats = model::ExpertCache::read_heats(model::heat_path(file.value()->sidecar()), count);
  }
  device::Speeds speeds(blueprint.threads, options.checksum_folder);
  forecast(blueprint, speeds, heats);
  return blueprint.plan;
}

}  // namespace codicil
