// engine-cli verify, inspect, plan, footprint, random-model: what can be said of a model before it runs, and of what it then takes.
#include <cstdlib>

#include "native/device/machine.h"
#include "native/model/random_model.h"
#include "native/model/tokenizer.h"
#include "native/tools/commands.h"

namespace codicil::tools {

// From the header alone: a file without weights will do.
Status tokenize_command(const Arguments& a, JsonWriter& out) {
  const Result<Json> texts = read_json(a.text("--file"), Json::Kind::array, "a list of texts");
  if (!texts.ok()) return texts.status();
  const Result<model::Gguf> gguf = model::Gguf::read_file(a.text("--model"));
  if (!gguf.ok()) return gguf.status();
  const Result<model::Tokenizer> tokenizer = model::Tokenizer::read(gguf.value());
  if (!tokenizer.ok()) return tokenizer.status();
  out.open('[');
  for (const Json& text : texts.value().items) write_ids(out, tokenizer.value().encode(text.string, a.has("--special")));
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

namespace {

void write_speed(JsonWriter& out, const char* name, const PlannedSpeed& speed) {
  out.key(name).open('{').field("tokensPerSecond", speed.tokens_per_s).field("bottleneck", speed.bottleneck).close();
}

void write_plan(JsonWriter& out, const Plan& p) {
  out.open('{').field("contextTokens", p.context_tokens).field("inputTokens", p.input_tokens).field("fits", p.fits);
  out.field("weightBytes", p.weight_bytes).field("kvBytes", p.kv_bytes).field("scratchBytes", p.scratch_bytes).field("stateBytes", p.state_bytes);
  out.field("programBytes", p.program_bytes).field("usedBytes", p.used_bytes()).field("streamedBytes", p.streamed_bytes);
  out.field("availableBytes", p.available_bytes).field("largestContextTokens", p.largest_context_tokens).key("parts").open('[');
  for (const PlanPart& part : p.parts) out.open('{').field("tier", part.tier).field("tag", part.tag).field("bytes", part.bytes).close();
  out.close()
      .field("advice", p.advice)
      .field("bottleneck", p.bottleneck)
      .field("drafting", std::string(drafting_name(p.drafting)))
      .field("kvFormat", p.kv_format);
  write_speed(out, "prefill", p.prefill);
  write_speed(out, "decode", p.decode);
  write_speed(out, "decodeFull", p.decode_full);
  out.field("streamedBytesPerToken", p.streamed_bytes_per_token).field("expertHitShare", p.expert_hit_share).field("measuredOn", p.measured_on);
  out.close();
}

std::vector<Token> some_tokens(std::int64_t count, std::int64_t vocab, std::int64_t from) {
  std::vector<Token> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<Token>((1000 + (from + i) * 7919 % 20000) % vocab));
  return out;
}

}  // namespace

Status plan_command(const Arguments& a, JsonWriter& out) {
  const Result<Plan> result = Engine::plan(options_of(a));
  if (!result.ok()) return result.status();
  write_plan(out, result.value());
  return {};
}

// A plan beside what then happens: opens the model, reads `prefill` tokens, answers `decode` more, and says what that took.
Status footprint_command(const Arguments& a, JsonWriter& out) {
  const EngineOptions options = options_of(a);
  const Result<Plan> plan = Engine::plan(options);
  if (!plan.ok()) return plan.status();
  const Clock::time_point start = Clock::now();
  Result<std::unique_ptr<Engine>> opened = Engine::open(options, {});
  if (!opened.ok()) return opened.status();
  Engine& engine = *opened.value();
  const double open_seconds = seconds_between(start, Clock::now());
  const std::int64_t prefill = a.number("--prefill", 32), decode = a.number("--decode", 8), warm = a.number("--warm", 0);
  const Result<std::unique_ptr<Session>> session = engine.open_session();
  if (!session.ok()) return session.status();
  if (options.reserve) {  // logits of as many rows as are ever made at once
    const std::vector<Token> rows = some_tokens(64, engine.model().vocab, 0);
    if (Status status = engine.evaluate(rows, [](std::int64_t, std::span<const float>) {}); !status.ok()) return status;
  }
  GenerateOptions answer;
  answer.temperature = 1;  // random weights repeat themselves when the best token is taken
  answer.max_tokens = warm + 1;
  const std::int64_t length = std::max<std::int64_t>(prefill, 1);
  if (warm > 0) {  // another text first: the system makes memory when it is first touched, on a virtual machine at 0.4 GB/s
    const Result<std::unique_ptr<Session>> other = engine.open_session();
    if (!other.ok()) return other.status();
    if (Status status = sync(*other.value(), some_tokens(length, engine.model().vocab, length)).get(); !status.ok()) return status;
  }
  const EngineStats touched = engine.stats();
  std::vector<Token> prompt = some_tokens(length, engine.model().vocab, 0);
  const Clock::time_point reading = Clock::now();
  if (Status status = sync(*session.value(), prompt).get(); !status.ok()) return status;
  const double read_seconds = seconds_between(reading, Clock::now());
  const EngineStats read = engine.stats();
  if (const Result<Generated> first = generate(*session.value(), answer).get(); !first.ok()) return first.status();
  const EngineStats before = engine.stats();
  answer.max_tokens = decode;
  std::vector<Clock::time_point> times;
  const Result<Generated> generated = generate(*session.value(), answer, [&](Token, std::string_view) { times.push_back(Clock::now()); }).get();
  if (!generated.ok()) return generated.status();
  const EngineStats after = engine.stats();
  const auto steps = static_cast<double>(std::max<std::size_t>(times.size(), 2) - 1);
  const std::uint64_t hits = after.expert_hits - before.expert_hits, misses = after.expert_misses - before.expert_misses;
  out.open('{').key("plan");
  write_plan(out, plan.value());
  out.field("openSeconds", open_seconds).field("prefillTokens", prefill).field("prefillTokS", static_cast<double>(prefill) / read_seconds);
  out.field("prefillStreamedBytes", read.streamed_bytes - touched.streamed_bytes).field("decodeTokens", static_cast<std::uint64_t>(times.size()));
  out.field("decodeTokS", times.size() < 2 ? 0.0 : steps / seconds_between(times.front(), times.back()));
  out.field("streamedBytesPerToken",
            static_cast<double>(after.streamed_bytes - before.streamed_bytes) / std::max(1.0, static_cast<double>(times.size())));
  out.field("expertHitShare", hits + misses == 0 ? 1.0 : static_cast<double>(hits) / static_cast<double>(hits + misses));
  out.field("weightBytes", after.weight_bytes)
      .field("scratchBytes", after.scratch_bytes)
      .field("kvBytes", after.kv.bytes_by_tier[static_cast<std::size_t>(kv::Tier::ram)]);
  out.field("anonymousBytes", device::anonymous_bytes()).field("peakBytes", device::peak_resident_bytes()).close();
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
  shape.mtp = a.has("--mtp");
  if (shape.mtp && shape.value_heads == 0)
    return Status(Code::invalid_request,
                  "expected a shape of the qwen35 family for --mtp, found " + std::string(shape.name) + ": choose qwen35-0.8b or another of them");
  if (const std::string head = shape.mtp ? a.text("--mtp") : "random"; head != "random") {
    char* end = nullptr;
    shape.mtp_right = std::strtod(head.c_str(), &end);
    if (end == head.c_str() || *end != 0 || !(shape.mtp_right >= 0 && shape.mtp_right <= 1))
      return Status(Code::invalid_request, "expected random or a share from 0 to 1 after --mtp, found " + head + ": correct it");
  }
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

}  // namespace codicil::tools
