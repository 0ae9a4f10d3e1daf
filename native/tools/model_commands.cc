// engine-cli tokenize, verify, inspect, plan, random-model: what can be said or made of a model without running it.
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

Status plan_command(const Arguments& a, JsonWriter& out) {
  const Result<Plan> result = Engine::plan(options_of(a));
  if (!result.ok()) return result.status();
  const Plan& p = result.value();
  out.open('{')
      .field("contextTokens", p.context_tokens)
      .field("weightBytes", p.weight_bytes)
      .field("kvBytes", p.kv_bytes)
      .field("scratchBytes", p.scratch_bytes);
  out.field("availableBytes", p.available_bytes)
      .field("fits", p.fits)
      .field("largestContextTokens", p.largest_context_tokens)
      .field("bottleneck", p.bottleneck)
      .close();
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
