// Reads ModelConfig. Keys: gguf.md, "LLM"; defaults as llama.cpp takes them, since files are written against it.
#include "native/model/config.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "native/model/tokenizer_names.h"

namespace codicil::model {
namespace {

// general.file_type, by number ("llama_ftype").
std::string file_type_name(std::int64_t type) {
  static constexpr std::pair<int, const char*> kNames[] = {
      {0, "F32"},     {1, "F16"},     {2, "Q4_0"},    {3, "Q4_1"},    {7, "Q8_0"},    {8, "Q5_0"},    {9, "Q5_1"},
      {10, "Q2_K"},   {11, "Q3_K_S"}, {12, "Q3_K_M"}, {13, "Q3_K_L"}, {14, "Q4_K_S"}, {15, "Q4_K_M"}, {16, "Q5_K_S"},
      {17, "Q5_K_M"}, {18, "Q6_K"},   {21, "Q2_K_S"}, {25, "IQ4_NL"}, {30, "IQ4_XS"}, {32, "BF16"},   {38, "MXFP4"}};
  for (const auto& [number, name] : kNames)
    if (number == type) return name;
  return type < 0 ? "" : "type " + std::to_string(type);
}

Status unsupported(const std::string& sentence) { return Status(Code::model_unsupported, sentence); }
Status invalid(const std::string& sentence) { return Status(Code::model_invalid, sentence + " Get another conversion of the model."); }

// Reads keys one after the other and keeps the first failure, so that the reading code is a list.
class Reader {
 public:
  Reader(const Gguf& gguf, std::string prefix) : gguf_(gguf), prefix_(std::move(prefix)) {}
  const Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }
  void fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

  std::int64_t integer(const std::string& key, std::int64_t least, std::int64_t most, std::optional<std::int64_t> fallback = {}) {
    const std::int64_t value = keep(gguf_.integer(prefix_ + key, fallback));
    if (ok() && (value < least || value > most))
      fail(invalid("A number from " + std::to_string(least) + " to " + std::to_string(most) + " was expected in " + prefix_ + key + ", " +
                   std::to_string(value) + " was found."));
    return value;
  }
  double positive(const std::string& key, std::optional<double> fallback = {}) {
    const double value = keep(gguf_.number(prefix_ + key, fallback));
    if (ok() && !(value > 0)) fail(invalid("A number above 0 was expected in " + prefix_ + key + ", " + std::to_string(value) + " was found."));
    return value;
  }
  std::string string(const std::string& key) { return keep(gguf_.string(prefix_ + key, std::string())); }
  bool boolean(const std::string& key, bool fallback) { return keep(gguf_.boolean(prefix_ + key, fallback)); }
  const GgufValue* find(const std::string& key) const { return gguf_.find(prefix_ + key); }

 private:
  template <typename T>
  T keep(Result<T> result) {
    if (result.ok()) return std::move(result).value();
    fail(result.status());
    return T();
  }
  const Gguf& gguf_;
  std::string prefix_;
  Status status_;
};

// Metadata that would change the arithmetic in a way that this build does not do: better refused than answered wrongly.
void refuse_unsupported(Reader& hyper, const std::string& architecture, ModelConfig& config) {
  for (const char* key : {"attention.head_count", "attention.head_count_kv", "feed_forward_length"})
    if (const GgufValue* value = hyper.find(key); value != nullptr && value->is_array())
      hyper.fail(unsupported("Layers of one shape were expected, " + architecture + "." + key +
                             " differs by layer. This build does not run such models: choose another."));
  const bool with_experts = config.architecture == Architecture::qwen3moe || config.architecture == Architecture::qwen35moe;
  if (!with_experts && hyper.find("expert_count") != nullptr && hyper.integer("expert_count", 0, 1'000'000) > 0)
    hyper.fail(unsupported("A dense model was expected, this one is a mixture of experts (" + architecture +
                           ".expert_count). This build does not run it: choose a dense model, or a mixture of the Qwen 3 family."));
  const std::int64_t window =
      hyper.find("attention.sliding_window") != nullptr ? hyper.integer("attention.sliding_window", 0, std::numeric_limits<std::int64_t>::max()) : 0;
  if (hyper.ok() && window > 0 && window < config.context_tokens)
    hyper.fail(unsupported("Full attention was expected, " + architecture + ".attention.sliding_window is " + std::to_string(window) +
                           ". This build does not run such models: choose another."));
  for (const char* key : {"logit_scale", "embedding_scale", "residual_scale", "attention.scale"})
    if (hyper.find(key) != nullptr)
      hyper.fail(
          unsupported("No " + architecture + "." + key + " was expected and the file has one. This build does not apply it: choose another model."));
}

// Softmax over all experts, the weights of the chosen ones made to sum to 1: what the Qwen 3 family does, and all that is run.
void read_experts(Reader& hyper, ModelConfig& config) {
  config.experts.count = hyper.integer("expert_count", 1, 4096);
  config.experts.used = hyper.integer("expert_used_count", 1, std::max<std::int64_t>(config.experts.count, 1));
  config.experts.ffn = hyper.integer("expert_feed_forward_length", 1, 1 << 22);
  config.experts.shared_ffn = hyper.integer("expert_shared_feed_forward_length", 0, 1 << 22, 0);
  constexpr std::int64_t kSoftmax = 1;
  if (const std::int64_t gating = hyper.integer("expert_gating_func", 0, 100, kSoftmax); hyper.ok() && gating > kSoftmax)
    hyper.fail(unsupported("Experts chosen by softmax were expected, " + config.architecture_name + ".expert_gating_func is " +
                           std::to_string(gating) + ". This build does not run such models: choose another."));
}

void read_delta(Reader& hyper, ModelConfig& config) {
  DeltaShape& delta = config.delta;
  delta.conv_kernel = hyper.integer("ssm.conv_kernel", 2, 64);
  delta.head_dim = hyper.integer("ssm.state_size", 1, kernels::kMaxDeltaDim);
  delta.key_heads = hyper.integer("ssm.group_count", 1, 1 << 14);
  delta.value_heads = hyper.integer("ssm.time_step_rank", 1, 1 << 14);
  const std::int64_t inner = hyper.integer("ssm.inner_size", 1, 1 << 24);
  if (!hyper.ok()) return;
  if (inner != delta.value_width() || delta.value_heads % delta.key_heads != 0)
    hyper.fail(invalid("ssm.inner_size = time_step_rank x state_size and whole groups of value heads were expected, " + std::to_string(inner) + ", " +
                       std::to_string(delta.value_heads) + ", " + std::to_string(delta.head_dim) + " and " + std::to_string(delta.key_heads) +
                       " groups were found."));
  const std::int64_t interval = hyper.integer("full_attention_interval", 1, 4096, 4);
  for (std::int64_t i = 0; i < config.layers; ++i)
    if ((i + 1) % interval != 0) config.mixers[static_cast<std::size_t>(i)] = Mixer::delta;
}

// Of the blocks that predict further tokens, one is run, with the model's own embedding and output matrix, as this family has it. Files with another
// kind, and files that name a head whose tensors were left out, answer without; what is missing of a head that is there, weight_list.cc refuses.
void read_head(const Gguf& gguf, std::int64_t named, ModelConfig& config) {
  const std::string block = "blk." + std::to_string(config.layers) + ".";
  const bool there = std::ranges::any_of(gguf.tensors(), [&](const GgufTensor& tensor) { return std::string_view(tensor.name).starts_with(block); });
  const bool own_tables =
      gguf.find_tensor(block + "nextn.embed_tokens.weight") != nullptr || gguf.find_tensor(block + "nextn.shared_head_head.weight") != nullptr;
  if (named != 1 || !there || own_tables) return;
  config.mtp_layers = 1;
  config.mtp_norm = gguf.find_tensor(block + "nextn.shared_head_norm.weight") != nullptr;
  config.mixers.push_back(Mixer::attention);
}

void read_rope(Reader& hyper, ModelConfig& config) {
  config.rope_base = hyper.positive("rope.freq_base", 10'000.0);
  config.rope_dims = static_cast<int>(hyper.integer("rope.dimension_count", 2, std::max<std::int64_t>(config.head_dim, 2), config.head_dim));
  if (hyper.ok() && config.rope_dims % 2 != 0)
    hyper.fail(invalid("An even number was expected in rope.dimension_count, " + std::to_string(config.rope_dims) + " was found."));
  const std::string scaling = hyper.string("rope.scaling.type");
  if (scaling == "linear")
    config.rope_scale = 1.0 / hyper.positive("rope.scaling.factor");
  else if (scaling.empty() || scaling == "none")
    config.rope_scale = 1.0 / hyper.positive("rope.scale_linear", 1.0);
  else
    hyper.fail(unsupported("Rotary scaling none or linear was expected in " + config.architecture_name + ".rope.scaling.type, \"" + scaling +
                           "\" was found. This build does not run it: choose a conversion without it, or another model."));
}

Status read_tokens(const Gguf& gguf, ModelConfig& config) {
  const GgufValue* tokens = gguf.find("tokenizer.ggml.tokens");
  if (tokens == nullptr || tokens->strings().empty())
    return invalid("An array of token texts was expected in tokenizer.ggml.tokens and is not there.");
  const GgufTensor* embedding = gguf.find_tensor("token_embd.weight");
  if (embedding == nullptr) return invalid("The tensor token_embd.weight was expected and is not there.");
  config.vocab = static_cast<std::int64_t>(tokens->strings().size());
  if (config.vocab > std::numeric_limits<Token>::max() || embedding->rows() != config.vocab || embedding->cols() != config.embedding)
    return invalid("The tensor token_embd.weight was expected to be " + std::to_string(config.embedding) + " x " + std::to_string(config.vocab) +
                   ", it is " + std::to_string(embedding->cols()) + " x " + std::to_string(embedding->rows()) + ".");

  Reader reader(gguf, "tokenizer.ggml.");
  const auto id = [&](const char* key) { return static_cast<Token>(reader.find(key) == nullptr ? -1 : reader.integer(key, 0, config.vocab - 1)); };
  config.bos = id("bos_token_id");
  config.eos = id("eos_token_id");
  config.eot = id("eot_token_id");
  const Token eom = id("eom_token_id");
  const bool llama = reader.string("pre") == "llama-bpe" || reader.string("model") == "llama";
  config.add_bos = reader.boolean("add_bos_token", llama) && config.bos >= 0;
  if (!reader.ok()) return reader.status();

  std::unordered_map<std::string_view, Token> by_text;
  for (std::size_t i = 0; i < tokens->strings().size(); ++i)
    if (const std::string_view text = tokens->strings()[i]; is_end_text(text)) by_text.emplace(text, static_cast<Token>(i));
  for (const std::string_view text : kEndTexts)
    if (const auto found = by_text.find(text); config.eot < 0 && found != by_text.end()) config.eot = found->second;
  // The harmony format ends a message with <|end|> and goes on; only <|return|> and <|call|> end its turn.
  if (by_text.contains("<|return|>") && by_text.contains("<|call|>")) by_text.erase("<|end|>");

  std::set<Token> ends;
  for (const Token token : {config.eos, config.eot, eom})
    if (token >= 0) ends.insert(token);
  for (const auto& [text, token] : by_text) ends.insert(token);
  config.end_tokens.assign(ends.begin(), ends.end());
  return {};
}

}  // namespace

std::int64_t ModelConfig::attention_layers() const { return std::count(mixers.begin(), mixers.end(), Mixer::attention); }

std::int64_t ModelConfig::delta_layers() const { return std::count(mixers.begin(), mixers.end(), Mixer::delta); }

void ModelConfig::drop_mtp() {
  mtp_layers = 0;
  mixers.resize(static_cast<std::size_t>(layers));
}

Result<ModelConfig> read_config(const Gguf& gguf) {
  Reader general(gguf, "general.");
  ModelConfig config;
  config.architecture_name = general.string("architecture");
  if (!general.ok()) return general.status();
  static constexpr std::pair<std::string_view, Architecture> kArchitectures[] = {
      {"llama", Architecture::llama},       {"qwen2", Architecture::qwen2},   {"qwen3", Architecture::qwen3},
      {"qwen3moe", Architecture::qwen3moe}, {"qwen35", Architecture::qwen35}, {"qwen35moe", Architecture::qwen35moe}};
  const auto* known =
      std::find_if(std::begin(kArchitectures), std::end(kArchitectures), [&](const auto& entry) { return entry.first == config.architecture_name; });
  if (known == std::end(kArchitectures))
    return unsupported("A model of architecture llama, qwen2, qwen3, qwen3moe, qwen35 or qwen35moe was expected, general.architecture is \"" +
                       config.architecture_name + "\". This build does not run it: choose a Llama, SmolLM2 or Qwen model.");
  config.architecture = known->second;
  config.name = general.string("name");
  config.license = general.string("license");
  config.file_type = general.find("file_type") == nullptr ? "" : file_type_name(general.integer("file_type", 0, 1'000'000));
  if (!general.ok()) return general.status();
  const auto parts = gguf.integer("split.count", 1);
  if (!parts.ok()) return parts.status();
  if (parts.value() > 1 && parts.value() != static_cast<std::int64_t>(gguf.parts().size()))
    return unsupported("All " + std::to_string(parts.value()) + " parts of the model were expected, " + std::to_string(gguf.parts().size()) +
                       " was read alone. Open the first of them by its path.");
  const auto chat_template = gguf.string("tokenizer.chat_template", std::string());
  if (!chat_template.ok()) return chat_template.status();
  config.chat_template = chat_template.value();
  config.file_bytes = gguf.file_bytes();
  for (const GgufTensor& tensor : gguf.tensors()) config.parameters += static_cast<std::uint64_t>(tensor.elements());

  Reader hyper(gguf, config.architecture_name + ".");
  config.context_tokens = hyper.integer("context_length", 1, std::int64_t{1} << 31);
  refuse_unsupported(hyper, config.architecture_name, config);
  const bool hybrid = config.architecture == Architecture::qwen35 || config.architecture == Architecture::qwen35moe;
  const bool with_experts = config.architecture == Architecture::qwen3moe || config.architecture == Architecture::qwen35moe;
  const std::int64_t blocks = hyper.integer("block_count", 1, 4096);
  const std::int64_t heads_named = hyper.integer("nextn_predict_layers", 0, std::max<std::int64_t>(blocks - 1, 0), 0);
  config.layers = blocks - heads_named;
  config.mixers.assign(static_cast<std::size_t>(std::max<std::int64_t>(config.layers, 0)), Mixer::attention);
  config.embedding = hyper.integer("embedding_length", 1, 1 << 20);
  // A mixture's files may still name the width of a dense layer that they do not have.
  if (with_experts)
    read_experts(hyper, config);
  else
    config.ffn = hyper.integer("feed_forward_length", 1, 1 << 22);
  if (hybrid) read_delta(hyper, config);
  if (hybrid && hyper.ok()) read_head(gguf, heads_named, config);
  config.heads = hyper.integer("attention.head_count", 1, 1 << 14);
  config.kv_heads = hyper.integer("attention.head_count_kv", 1, 1 << 14, config.heads);
  config.rms_eps = static_cast<float>(hyper.positive("attention.layer_norm_rms_epsilon"));
  if (!hyper.ok()) return hyper.status();
  if (config.heads % config.kv_heads != 0)
    return invalid("A multiple of the " + std::to_string(config.kv_heads) + " key heads was expected as the number of heads, " +
                   std::to_string(config.heads) + " were found.");
  config.head_dim = hyper.integer("attention.key_length", 1, 4096, config.embedding / config.heads);
  const std::int64_t value_dim = hyper.integer("attention.value_length", 1, 4096, config.head_dim);
  if (hyper.ok() && value_dim != config.head_dim)
    return unsupported("Keys and values of one length were expected, they have " + std::to_string(config.head_dim) + " and " +
                       std::to_string(value_dim) + ". This build does not run such models: choose another.");
  read_rope(hyper, config);
  if (!hyper.ok()) return hyper.status();
  config.rope_kind = config.architecture == Architecture::llama ? kernels::RopeKind::interleaved : kernels::RopeKind::neox;
  config.rope_factors = gguf.find_tensor("rope_freqs.weight") != nullptr;
  config.tied_embeddings = gguf.find_tensor("output.weight") == nullptr;
  config.qkv_bias = gguf.find_tensor("blk.0.attn_q.bias") != nullptr;
  config.qk_norm = hybrid || config.architecture == Architecture::qwen3 || config.architecture == Architecture::qwen3moe;
  config.gated_attention = hybrid;
  const Status tokens = read_tokens(gguf, config);
  if (!tokens.ok()) return tokens;
  return config;
}

}  // namespace codicil::model
