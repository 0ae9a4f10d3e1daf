// Tests of the config: the shipped model, defaults, and one refusal for each thing that is not run or contradicts itself.
#include "native/model/config.h"

#include "native/base/test.h"
#include "native/model/gguf_test_builder.h"

using codicil::Code;
using namespace codicil::model;
namespace kernels = codicil::kernels;

namespace {

constexpr std::uint32_t kF32 = 0;

// A sound header of two layers, without the keys that end in one of these names (for tests that put another value there).
GgufBuilder header(const std::string& architecture, const std::vector<std::string>& without = {}) {
  GgufBuilder builder;
  builder.string("general.architecture", architecture);
  const auto u32 = [&](const std::string& key, std::uint32_t value) {
    for (const std::string& name : without)
      if (key.ends_with(name)) return;
    builder.u32(key, value);
  };
  u32(architecture + ".block_count", 2);
  u32(architecture + ".context_length", 4096);
  u32(architecture + ".embedding_length", 64);
  u32(architecture + ".feed_forward_length", 128);
  u32(architecture + ".attention.head_count", 4);
  u32(architecture + ".attention.head_count_kv", 2);
  builder.f32(architecture + ".attention.layer_norm_rms_epsilon", 1e-6f);
  builder.strings("tokenizer.ggml.tokens", {"a", "<|im_end|>", "<|endoftext|>", "b"});
  u32("tokenizer.ggml.eos_token_id", 2);
  builder.tensor("token_embd.weight", kF32, {64, 4}, 64 * 4 * 4);
  return builder;
}

codicil::Result<ModelConfig> config(const GgufBuilder& builder) { return read_config(read_bytes(builder.build()).value()); }

}  // namespace

CODICIL_TEST(reads_the_shipped_model) {
  const auto gguf = Gguf::read_file(shipped_model());
  if (!gguf.ok()) SKIP("assets/models/codicil-reader-135m-q4_0.gguf is not there");
  const auto result = read_config(gguf.value());
  REQUIRE_OK(result);
  const ModelConfig& model = result.value();
  CHECK_EQ(model.name, "Codicil Reader 135M");
  CHECK_EQ(model.license, "apache-2.0");
  CHECK_EQ(model.file_type, "Q4_0");
  CHECK_EQ(model.parameters, 134'515'008u);
  CHECK_EQ(model.layers, 30);
  CHECK_EQ(model.embedding, 576);
  CHECK_EQ(model.heads, 9);
  CHECK_EQ(model.kv_heads, 3);
  CHECK_EQ(model.head_dim, 64);
  CHECK_EQ(model.ffn, 1536);
  CHECK_EQ(model.vocab, 49152);
  CHECK_EQ(model.context_tokens, 8192);
  CHECK_EQ(model.rope_dims, 64);
  CHECK(model.rope_kind == kernels::RopeKind::interleaved);
  CHECK_NEAR(model.rope_base, 100'000, 0);
  CHECK(model.tied_embeddings && !model.qkv_bias && !model.rope_factors && !model.add_bos);
  CHECK_EQ(model.bos, 1);
  CHECK_EQ(model.eos, 2);
  CHECK(model.end_tokens == (std::vector<Token>{0, 2, 4}));  // <|endoftext|> <|im_end|> <reponame>, as llama.cpp's end-of-generation list
  CHECK(model.chat_template.find("<|im_start|>") != std::string::npos);
}

CODICIL_TEST(fills_in_defaults_and_finds_turn_ends_by_their_text) {
  const auto result = config(header("qwen2", {"head_count_kv"}));
  REQUIRE_OK(result);
  const ModelConfig& model = result.value();
  CHECK_EQ(model.kv_heads, 4);
  CHECK_EQ(model.head_dim, 16);
  CHECK_EQ(model.rope_dims, 16);
  CHECK_NEAR(model.rope_base, 10'000, 0);
  CHECK(model.rope_kind == kernels::RopeKind::neox);
  CHECK_EQ(model.eot, 1);
  CHECK_EQ(model.bos, -1);
  CHECK(model.end_tokens == (std::vector<Token>{1, 2}));
  CHECK(model.tied_embeddings);
}

CODICIL_TEST(scales_positions_linearly) {
  const auto result = config(header("llama").string("llama.rope.scaling.type", "linear").f32("llama.rope.scaling.factor", 4));
  REQUIRE_OK(result);
  CHECK_NEAR(result.value().rope_scale, 0.25, 0);
}

CODICIL_TEST(names_what_it_does_not_run) {
  CHECK_STATUS(config(header("mamba")), Code::model_unsupported, "general.architecture is \"mamba\"");
  CHECK_STATUS(config(header("llama").string("llama.rope.scaling.type", "yarn")), Code::model_unsupported, "\"yarn\" was found");
  CHECK_STATUS(config(header("llama").u32("llama.expert_count", 8)), Code::model_unsupported, "mixture of experts");
  CHECK_STATUS(config(header("qwen2").u32("qwen2.attention.sliding_window", 1024)), Code::model_unsupported, "sliding_window is 1024");
  CHECK_OK(config(header("qwen2").u32("qwen2.attention.sliding_window", 8192)));  // wider than the context: no window at all
  CHECK_STATUS(config(header("llama").u32("split.count", 3)), Code::model_unsupported, "All 3 parts");
  CHECK_STATUS(config(header("llama").f32("llama.logit_scale", 2)), Code::model_unsupported, "llama.logit_scale");
  CHECK_STATUS(config(header("llama", {"feed_forward_length"}).i32s("llama.feed_forward_length", {128, 256})), Code::model_unsupported,
               "differs by layer");
  CHECK_STATUS(config(header("llama").u32("llama.attention.key_length", 16).u32("llama.attention.value_length", 8)), Code::model_unsupported,
               "16 and 8");
}

CODICIL_TEST(refuses_numbers_that_contradict_each_other) {
  CHECK_STATUS(config(header("llama", {"block_count"})), Code::model_invalid, "llama.block_count");
  CHECK_STATUS(config(header("llama", {"block_count"}).u32("llama.block_count", 0)), Code::model_invalid, "llama.block_count, 0 was found");
  CHECK_STATUS(config(header("llama", {"head_count_kv"}).u32("llama.attention.head_count_kv", 3)), Code::model_invalid,
               "multiple of the 3 key heads");
  CHECK_STATUS(config(header("llama", {"embedding_length"}).u32("llama.embedding_length", 32)), Code::model_invalid,
               "token_embd.weight was expected to be 32 x 4");
  CHECK_STATUS(config(header("llama").u32("llama.rope.dimension_count", 15)), Code::model_invalid, "even number");
  CHECK_STATUS(config(header("llama").u32("llama.rope.dimension_count", 18)), Code::model_invalid, "from 2 to 16");
  CHECK_STATUS(config(header("llama").f32("llama.rope.freq_base", -1)), Code::model_invalid, "llama.rope.freq_base");
  CHECK_STATUS(config(header("llama", {"eos_token_id"}).u32("tokenizer.ggml.eos_token_id", 4)), Code::model_invalid, "eos_token_id");
  CHECK_STATUS(config(GgufBuilder().u32("x", 1)), Code::model_unsupported, "general.architecture is \"\"");
}
