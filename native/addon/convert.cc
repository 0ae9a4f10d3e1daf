// JavaScript values to the engine's types and back: options, token arrays, masks, results.
//
// Owns: every check of what a caller passed; a wrong kind is invalid_request with the field's name. Leaves promises and threads to addon.cc.
// Rule that must stay true: nothing is guessed: a field of a wrong kind is refused, an absent one takes the engine's default.
#include "native/addon/convert.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

namespace codicil::addon {

namespace {

// Nothing: no number, or none that T holds exactly.
template <typename T>
std::optional<T> number_in(const Napi::Value& value) {
  if (!value.IsNumber()) return std::nullopt;
  const double number = value.As<Napi::Number>().DoubleValue();
  if (!std::isfinite(number)) return std::nullopt;
  if constexpr (std::is_integral_v<T>) {
    constexpr double kExact = 9007199254740992.0;  // 2^53: JavaScript's whole numbers
    const double least = std::max(static_cast<double>(std::numeric_limits<T>::min()), -kExact);
    const double most = std::min(static_cast<double>(std::numeric_limits<T>::max()), kExact);
    if (number != std::floor(number) || number < least || number > most) return std::nullopt;
  }
  return static_cast<T>(number);
}

// Reads optional fields of an options object and remembers the first one that is of a wrong kind.
class Fields {
 public:
  explicit Fields(Napi::Object object) : object_(object) {}

  template <typename T>
  void number(const char* name, T& out) {
    const Napi::Value value = object_.Get(name);
    if (value.IsUndefined()) return;
    if (!value.IsNumber()) return fail(name, "a number");
    const std::optional<T> read = number_in<T>(value);
    if (!read) return fail(name, std::is_integral_v<T> ? "a whole number in range" : "a finite number");
    out = *read;
  }
  void text(const char* name, std::string& out) {
    const Napi::Value value = object_.Get(name);
    if (value.IsUndefined()) return;
    if (!value.IsString()) return fail(name, "a string");
    out = value.As<Napi::String>().Utf8Value();
  }
  void truth(const char* name, bool& out) {
    const Napi::Value value = object_.Get(name);
    if (value.IsUndefined()) return;
    if (!value.IsBoolean()) return fail(name, "true or false");
    out = value.As<Napi::Boolean>().Value();
  }
  void fail(const char* name, const char* expected) {
    if (status_.ok()) status_ = wrong_argument(expected, name);
  }
  Napi::Value get(const char* name) const { return object_.Get(name); }
  const Status& status() const { return status_; }

 private:
  Napi::Object object_;
  Status status_;
};

// Null when the value is not a typed array of this kind.
template <typename T>
const T* typed(const Napi::Value& value, napi_typedarray_type kind, std::size_t& length) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != kind) return nullptr;
  const auto array = value.As<Napi::TypedArrayOf<T>>();
  length = array.ElementLength();
  static const T kNothing{};
  return length == 0 ? &kNothing : array.Data();
}

Result<std::shared_ptr<const TokenMask>> read_mask(const Napi::Value& value) {
  if (!value.IsObject()) return wrong_argument("an object", "mask");
  const auto object = value.As<Napi::Object>();
  std::size_t edges = 0, next_count = 0, offsets = 0, states = 0, ends = 0;
  const auto* token = typed<std::int32_t>(object.Get("edgeToken"), napi_int32_array, edges);
  const auto* next = typed<std::int32_t>(object.Get("edgeNext"), napi_int32_array, next_count);
  const auto* offset = typed<std::int32_t>(object.Get("stateOffset"), napi_int32_array, offsets);
  const auto* any = typed<std::int32_t>(object.Get("anyNext"), napi_int32_array, states);
  const auto* may_end = typed<std::uint8_t>(object.Get("mayEnd"), napi_uint8_array, ends);
  if (token == nullptr || next == nullptr || offset == nullptr || any == nullptr || may_end == nullptr)
    return wrong_argument("typed arrays edgeToken, edgeNext, stateOffset, anyNext, mayEnd", "mask");
  if (edges != next_count || states != ends || offsets != states + 1 || offset[0] != 0 || offset[states] != static_cast<std::int64_t>(edges)) {
    return wrong_argument("arrays of matching lengths (stateOffset from 0 to the number of edges)", "mask");
  }
  auto mask = std::make_shared<TokenMask>();
  mask->states.resize(states);
  for (std::size_t s = 0; s < states; ++s) {
    if (offset[s] < 0 || offset[s] > offset[s + 1] || offset[s + 1] > static_cast<std::int64_t>(edges))
      return wrong_argument("rising offsets", "mask.stateOffset");
    TokenMask::State& state = mask->states[s];
    for (std::int32_t e = offset[s]; e < offset[s + 1]; ++e) state.edges.push_back({token[e], next[e]});
    std::sort(state.edges.begin(), state.edges.end(), [](const TokenMask::Edge& a, const TokenMask::Edge& b) { return a.token < b.token; });
    state.any_next = any[s];
    state.may_end = may_end[s] != 0;
  }
  return std::shared_ptr<const TokenMask>(std::move(mask));
}

void read_drafting(Fields& fields, Drafting& out) {
  std::string name;
  fields.text("drafting", name);
  if (name.empty()) return;
  if (const std::optional<Drafting> drafting = drafting_named(name))
    out = *drafting;
  else
    fields.fail("drafting", "'off', 'lookup', 'mtp' or 'auto'");
}

const char* end_name(Generated::End end) {
  switch (end) {
    case Generated::End::end_token:
      return "end_token";
    case Generated::End::max_tokens:
      return "max_tokens";
    case Generated::End::stop_string:
      return "stop_string";
    case Generated::End::mask:
      return "mask";
    case Generated::End::context_full:
      return "context_full";
    case Generated::End::cancelled:
      return "cancelled";
  }
  return "end_token";
}

// Sets fields with less noise.
struct Maker {
  Napi::Object object;
  template <typename T>
  Maker& set(const char* name, const std::optional<T>& value) {
    if (value) return set(name, *value);
    object.Set(name, object.Env().Null());
    return *this;
  }
  template <typename T>
  Maker& set(const char* name, const T& value) {
    if constexpr (std::is_same_v<T, bool>)
      object.Set(name, Napi::Boolean::New(object.Env(), value));
    else if constexpr (std::is_arithmetic_v<T>)
      object.Set(name, Napi::Number::New(object.Env(), static_cast<double>(value)));
    else
      object.Set(name, value);
    return *this;
  }
};

}  // namespace

Napi::Error to_error(Napi::Env env, const Status& status) {
  Napi::Error error = Napi::Error::New(env, status.message());
  error.Set("code", Napi::String::New(env, std::string(code_name(status.code()))));
  return error;
}

Status wrong_argument(const char* expected, const char* found_where) {
  return Status(Code::invalid_request,
                "expected " + std::string(expected) + " for " + found_where + ", found something else: see native/addon/API.md");
}

Result<std::vector<Token>> read_tokens(const Napi::Value& value, const char* where) {
  std::size_t length = 0;
  const auto* data = typed<std::int32_t>(value, napi_int32_array, length);
  if (data == nullptr) return wrong_argument("an Int32Array", where);
  return std::vector<Token>(data, data + length);
}

Result<std::vector<std::uint32_t>> read_bits(const Napi::Value& value, const char* where) {
  std::size_t length = 0;
  // XGrammar hands out signed words, other libraries unsigned ones: the bits are the same.
  if (const auto* words = typed<std::uint32_t>(value, napi_uint32_array, length)) return std::vector<std::uint32_t>(words, words + length);
  if (const auto* words = typed<std::int32_t>(value, napi_int32_array, length)) return std::vector<std::uint32_t>(words, words + length);
  return wrong_argument("a Uint32Array or Int32Array", where);
}

Result<EngineOptions> read_open_options(const Napi::Value& value) {
  if (!value.IsObject()) return wrong_argument("an object", "options");
  Fields fields(value.As<Napi::Object>());
  EngineOptions o;
  fields.text("modelPath", o.model_path);
  fields.number("threads", o.threads);
  fields.number("ramBudgetBytes", o.ram_budget_bytes);
  fields.number("memoryBudgetBytes", o.memory_budget_bytes);
  fields.number("contextTokens", o.context_tokens);
  fields.number("batchTokens", o.batch_tokens);
  fields.text("instructionSet", o.instruction_set);
  fields.text("checksumFolder", o.checksum_folder);
  fields.text("secondCopy", o.second_copy);
  read_drafting(fields, o.drafting);
  fields.text("storeFolder", o.store_folder);
  fields.number("storeBudgetBytes", o.store_budget_bytes);
  fields.text("kvFormat", o.kv_format);
  if (o.model_path.empty()) fields.fail("modelPath", "a path");
  if (!fields.status().ok()) return fields.status();
  return o;
}

Result<Priority> read_priority(const Napi::Value& value) {
  if (value.IsUndefined()) return Priority::interactive;
  const std::string name = value.IsString() ? value.As<Napi::String>().Utf8Value() : std::string();
  if (name == "interactive") return Priority::interactive;
  if (name == "batch") return Priority::batch;
  return wrong_argument("'interactive' or 'batch'", "priority");
}

Result<SyncOptions> read_sync_options(const Napi::Value& value) {
  SyncOptions o;
  if (value.IsUndefined()) return o;
  if (!value.IsObject()) return wrong_argument("an object", "options");
  Fields fields(value.As<Napi::Object>());
  const Result<Priority> priority = read_priority(fields.get("priority"));
  if (!priority.ok()) return priority.status();
  o.priority = priority.value();
  fields.text("owner", o.owner);
  if (const Napi::Value keep = fields.get("keep"); keep.IsArray()) {
    const auto array = keep.As<Napi::Array>();
    o.keep.emplace();
    for (std::uint32_t i = 0; i < array.Length(); ++i) {
      const Napi::Value position = array.Get(i);
      if (const std::optional<std::int64_t> read = number_in<std::int64_t>(position))
        o.keep->push_back(*read);
      else
        fields.fail("keep", "an array of whole numbers");
    }
  } else if (!keep.IsUndefined()) {
    fields.fail("keep", "an array of numbers");
  }
  if (!fields.status().ok()) return fields.status();
  return o;
}

Result<GenerateOptions> read_generate_options(const Napi::Value& value) {
  GenerateOptions o;
  if (value.IsUndefined()) return o;
  if (!value.IsObject()) return wrong_argument("an object", "options");
  Fields fields(value.As<Napi::Object>());
  fields.number("maxTokens", o.max_tokens);
  fields.number("temperature", o.temperature);
  fields.number("topK", o.top_k);
  fields.number("topP", o.top_p);
  fields.number("minP", o.min_p);
  fields.number("repetitionPenalty", o.repetition_penalty);
  fields.number("presencePenalty", o.presence_penalty);
  fields.truth("stepMasks", o.step_masks);
  fields.number("seed", o.seed);
  fields.number("topLogits", o.top_logits);
  fields.number("draftTokens", o.draft_tokens);
  read_drafting(fields, o.drafting);
  const Result<Priority> priority = read_priority(fields.get("priority"));
  if (!priority.ok()) return priority.status();
  o.priority = priority.value();
  if (const Napi::Value stop = fields.get("stop"); stop.IsArray()) {
    const auto array = stop.As<Napi::Array>();
    for (std::uint32_t i = 0; i < array.Length(); ++i) {
      const Napi::Value text = array.Get(i);
      if (text.IsString())
        o.stop.push_back(text.As<Napi::String>().Utf8Value());
      else
        fields.fail("stop", "an array of strings");
    }
  } else if (!stop.IsUndefined()) {
    fields.fail("stop", "an array of strings");
  }
  if (const Napi::Value probes = fields.get("probes"); probes.IsArray()) {
    const auto array = probes.As<Napi::Array>();
    for (std::uint32_t i = 0; i < array.Length(); ++i) {
      const Napi::Value token = array.Get(i);
      if (const std::optional<Token> read = number_in<Token>(token))
        o.probes.push_back(*read);
      else
        fields.fail("probes", "token ids");
    }
  } else if (!probes.IsUndefined()) {
    Result<std::vector<Token>> tokens = read_tokens(probes, "probes");
    if (!tokens.ok()) return tokens.status();
    o.probes = std::move(tokens).value();
  }
  if (const Napi::Value mask = fields.get("mask"); !mask.IsUndefined()) {
    Result<std::shared_ptr<const TokenMask>> read = read_mask(mask);
    if (!read.ok()) return read.status();
    o.mask = std::move(read).value();
  }
  if (!fields.status().ok()) return fields.status();
  return o;
}

Napi::Int32Array to_tokens(Napi::Env env, std::span<const Token> tokens) {
  Napi::Int32Array out = Napi::Int32Array::New(env, tokens.size());
  std::copy(tokens.begin(), tokens.end(), out.Data());
  return out;
}

Napi::Float64Array to_doubles(Napi::Env env, std::span<const double> values) {
  Napi::Float64Array out = Napi::Float64Array::New(env, values.size());
  std::copy(values.begin(), values.end(), out.Data());
  return out;
}

Napi::Object to_object(Napi::Env env, const ModelInfo& m, const std::string& path) {
  Maker out{Napi::Object::New(env)};
  out.set("path", path)
      .set("name", m.name)
      .set("architecture", m.architecture)
      .set("fileType", m.file_type)
      .set("chatTemplate", m.chat_template)
      .set("license", m.license);
  out.set("parameters", m.parameters)
      .set("fileBytes", m.file_bytes)
      .set("contextTokens", m.context_tokens)
      .set("vocab", m.vocab)
      .set("layers", m.layers);
  out.set("embedding", m.embedding).set("heads", m.heads).set("kvHeads", m.kv_heads).set("headDim", m.head_dim).set("bos", m.bos).set("eos", m.eos);
  Napi::Array ends = Napi::Array::New(env, m.end_tokens.size());
  for (std::uint32_t i = 0; i < m.end_tokens.size(); ++i) ends.Set(i, Napi::Number::New(env, m.end_tokens[i]));
  out.object.Set("endTokens", ends);
  return out.object;
}

Napi::Object to_object(Napi::Env env, const Plan& p) {
  Maker out{Napi::Object::New(env)};
  out.set("contextTokens", p.context_tokens).set("weightBytes", p.weight_bytes).set("kvBytes", p.kv_bytes).set("scratchBytes", p.scratch_bytes);
  out.set("availableBytes", p.available_bytes)
      .set("fits", p.fits)
      .set("largestContextTokens", p.largest_context_tokens)
      .set("bottleneck", p.bottleneck);
  out.set("inputTokens", p.input_tokens).set("usedBytes", p.used_bytes()).set("streamedBytes", p.streamed_bytes).set("advice", p.advice);
  out.set("streamedBytesPerToken", p.streamed_bytes_per_token).set("expertHitShare", p.expert_hit_share).set("measuredOn", p.measured_on);
  out.set("drafting", std::string(drafting_name(p.drafting))).set("kvFormat", p.kv_format);
  const auto speed = [&](const char* name, const PlannedSpeed& s) {
    Maker part{Napi::Object::New(env)};
    part.set("tokensPerSecond", s.tokens_per_s).set("bottleneck", s.bottleneck);
    out.object.Set(name, part.object);
  };
  speed("prefill", p.prefill);
  speed("decode", p.decode);
  speed("decodeFull", p.decode_full);
  Napi::Array parts = Napi::Array::New(env, p.parts.size());
  for (std::uint32_t i = 0; i < p.parts.size(); ++i) {
    Maker part{Napi::Object::New(env)};
    part.set("tier", p.parts[i].tier).set("tag", p.parts[i].tag).set("bytes", p.parts[i].bytes);
    parts.Set(i, part.object);
  }
  out.object.Set("parts", parts);
  return out.object;
}

static Napi::Object to_object(Napi::Env env, const MachineTelemetry& t) {
  Maker out{Napi::Object::New(env)};
  out.set("cpuCelsius", t.cpu_celsius).set("cpuMhz", t.cpu_mhz).set("cpuBaseMhz", t.cpu_base_mhz);
  out.set("memorySomePercent", t.memory_some_percent).set("memoryFullPercent", t.memory_full_percent);
  out.set("memoryAvailableBytes", t.memory_available_bytes).set("diskFreeBytes", t.disk_free_bytes).set("diskFreeInodes", t.disk_free_inodes);
  out.set("pageFaultsFromDisk", t.page_faults_from_disk).set("pace", t.pace).set("paceReason", t.pace_reason).set("diskIsLow", t.disk_is_low);
  return out.object;
}

Napi::Object to_object(Napi::Env env, const device::GpuReading& g) {
  Maker out{Napi::Object::New(env)};
  out.set("name", g.name).set("memoryUsedBytes", g.memory_used_bytes).set("memoryTotalBytes", g.memory_total_bytes).set("celsius", g.celsius);
  out.set("slowdownCelsius", g.slowdown_celsius).set("mhz", g.mhz).set("watts", g.watts).set("busyPercent", g.busy_percent);
  out.set("throttledBy", g.throttled_by());
  return out.object;
}

Napi::Object to_object(Napi::Env env, const EngineStats& s) {
  Maker out{Napi::Object::New(env)};
  constexpr auto kRam = static_cast<std::size_t>(kv::Tier::ram);
  out.set("prefillTokensPerSecond", s.prefill_tokens_per_s).set("decodeTokensPerSecond", s.decode_tokens_per_s);
  out.set("prefillTokens", s.prefill_tokens).set("decodeTokens", s.decode_tokens).set("reusedTokens", s.reused_tokens);
  out.set("weightBytes", s.weight_bytes).set("scratchBytes", s.scratch_bytes).set("residentBytes", s.resident_bytes);
  out.set("sessions", s.sessions)
      .set("running", s.running)
      .set("queued", s.queued)
      .set("threads", s.threads)
      .set("instructionSet", s.instruction_set);
  out.set("kvBytes", s.kv.bytes_by_tier[kRam]).set("kvPages", s.kv.pages_by_tier[kRam]).set("kvBudgetBytes", s.kv.budget_bytes);
  constexpr auto kSsd = static_cast<std::size_t>(kv::Tier::ssd);
  out.set("storeBytes", s.kv.bytes_by_tier[kSsd] + s.kv.disk_snapshot_bytes).set("storePages", s.kv.pages_by_tier[kSsd]);
  out.set("storeSnapshots", s.kv.disk_snapshots).set("storeBudgetBytes", s.kv.disk_budget_bytes);
  out.set("storeReadBytes", s.kv.disk_read_bytes).set("storeReadSeconds", s.kv.disk_read_seconds).set("storeWrittenBytes", s.kv.disk_written_bytes);
  out.set("storeEvictions", s.kv.disk_evictions).set("storeDamaged", s.kv.disk_damaged_pages);
  out.set("storeFull", s.kv.disk_full).set("storeShared", s.kv.disk_shared);
  out.set("kvHits", s.kv.hits).set("kvMisses", s.kv.misses).set("kvEvictions", s.kv.evictions);
  out.set("firstTokenMs", s.first_token_ms).set("draftedTokens", s.drafted_tokens).set("acceptedTokens", s.accepted_tokens);
  out.set("telemetry", to_object(env, s.machine));
  return out.object;
}

Napi::Object to_object(Napi::Env env, const kv::Forgotten& gone) {
  Maker out{Napi::Object::New(env)};
  out.set("files", gone.files).set("bytes", gone.bytes);
  return out.object;
}

Napi::Object to_object(Napi::Env env, const kv::Stored& stored) {
  Maker out{Napi::Object::New(env)};
  out.set("files", stored.files).set("bytes", stored.bytes).set("models", stored.models);
  Napi::Array owners = Napi::Array::New(env, stored.owners.size());
  for (std::uint32_t i = 0; i < stored.owners.size(); ++i) {
    Maker owner{Napi::Object::New(env)};
    owner.set("owner", stored.owners[i].owner).set("files", stored.owners[i].files).set("bytes", stored.owners[i].bytes);
    owners.Set(i, owner.object);
  }
  out.object.Set("owners", owners);
  return out.object;
}

Napi::Object to_object(Napi::Env env, const SyncReport& r) {
  Maker out{Napi::Object::New(env)};
  out.set("reusedTokens", r.reused_tokens).set("computedTokens", r.computed_tokens).set("ms", r.ms);
  return out.object;
}

Napi::Object to_object(Napi::Env env, const Generated& g) {
  Maker out{Napi::Object::New(env)};
  out.set("tokens", to_tokens(env, g.tokens)).set("text", g.text).set("end", std::string(end_name(g.end)));
  out.set("probeLogprobs", to_doubles(env, g.probe_logprobs)).set("logprobs", to_doubles(env, g.logprobs));
  Napi::Array top = Napi::Array::New(env, g.top.size());
  for (std::uint32_t i = 0; i < g.top.size(); ++i) {
    Napi::Int32Array tokens = Napi::Int32Array::New(env, g.top[i].size());
    Napi::Float32Array logits = Napi::Float32Array::New(env, g.top[i].size());
    for (std::size_t j = 0; j < g.top[i].size(); ++j) {
      tokens[j] = g.top[i][j].token;
      logits[j] = g.top[i][j].logit;
    }
    Napi::Object step = Napi::Object::New(env);
    step.Set("tokens", tokens);
    step.Set("logits", logits);
    top.Set(i, step);
  }
  out.object.Set("top", top);
  return out.object;
}

}  // namespace codicil::addon
