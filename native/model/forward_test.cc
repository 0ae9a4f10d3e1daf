// A pass that is told to stop, and a load that is: counted in layers and parts.
#include "native/model/forward.h"

#include <cstdio>
#include <filesystem>
#include <random>

#include "native/base/test.h"
#include "native/model/random_model.h"
#include "native/model/tensor_file.h"

namespace codicil::model {
namespace {

constexpr std::int64_t kLayers = 6;

struct RandomFile {
  std::string path = (std::filesystem::temp_directory_path() / ("codicil_forward_" + std::to_string(std::random_device()()))).string();
  explicit RandomFile(bool experts) {
    ModelShape shape{};
    shape.name = "tiny";
    shape.architecture = experts ? "qwen3moe" : "llama";
    shape.layers = kLayers;
    shape.embedding = 96, shape.heads = 6, shape.kv_heads = 2, shape.head_dim = 16;
    shape.ffn = experts ? 0 : 160;
    if (experts) shape.experts = 12, shape.experts_used = 3, shape.expert_ffn = 64;
    shape.rope_dims = 16, shape.vocab = 300, shape.context = 2048, shape.rope_base = 10000;
    shape.tied = !experts;
    CHECK_OK(write_random_model(shape, kernels::Type::f32, 1, path));
  }
  ~RandomFile() { std::remove(path.c_str()); }
};

}  // namespace

CODICIL_TEST(a_pass_that_is_stopped_ends_within_its_layer_and_gives_nothing) {
  for (const bool experts : {false, true}) {
    const RandomFile file(experts);
    const kernels::Ops& ops = kernels::best_cpu();
    Gguf gguf = Gguf::read_file(file.path).value();
    const ModelConfig config = read_config(gguf).value();
    const ModelWeights weights = ModelWeights::load(std::move(gguf), {}, config, ops, {}, {}).value();
    ThreadPool pool(2);
    const std::unique_ptr<Forward> forward = Forward::create(config, weights, ops, pool, 200).value();
    std::vector<std::byte> page(Forward::page_shape(config, 0).page_bytes() + 64);
    for (const std::int64_t tokens : {std::int64_t{5}, std::int64_t{200}}) {  // by rows, by tiles
      for (const std::int64_t last : {std::int64_t{1}, std::int64_t{3}, kLayers, kLayers + 1}) {
        std::atomic<bool> stop{false};
        Batch batch;
        batch.stop = &stop;
        for (std::int64_t i = 0; i < tokens; ++i) batch.tokens.push_back(static_cast<Token>(i * 7 % 300));
        Run run;
        run.count = tokens;
        run.pages = {reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(page.data()) + 63) / 64 * 64)};
        batch.runs.push_back(run);
        batch.wanted = {tokens - 1};
        std::vector<float> hidden(static_cast<std::size_t>(config.embedding), -7.0f);
        std::int64_t layers = 0;
        const Status status = forward->run(batch, hidden.data(), [&] {
          if (++layers == last) stop = true;
        });
        CHECK_EQ(layers, std::min(last, kLayers));
        CHECK_EQ(status.code(), last > kLayers ? Code::ok : Code::cancelled);
        CHECK_EQ(hidden[0] == -7.0f, last <= kLayers);
      }
    }
  }
}

CODICIL_TEST(a_load_that_is_stopped_reads_no_further_part_and_records_nothing) {
  const RandomFile file(false);
  const std::string sums = file.path + ".sums";
  const auto load = [&](std::shared_ptr<std::atomic<bool>> stop, const std::function<void(double)>& progress) {
    Gguf gguf = Gguf::read_file(file.path).value();
    const ModelConfig config = read_config(gguf).value();
    return ModelWeights::load(std::move(gguf), {sums, {}, File::Access::cached, std::move(stop)}, config, kernels::best_cpu(), {}, progress).status();
  };
  CHECK_EQ(load(std::make_shared<std::atomic<bool>>(true), {}).code(), Code::cancelled);
  CHECK(!std::filesystem::exists(sums));
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  (void)load(stop, [&](double) { *stop = true; });  // as soon as there is anything to tell; all may be there by then
  const Gguf gguf = Gguf::read_file(file.path).value();
  const auto flag = std::make_shared<std::atomic<bool>>(false);
  const std::unique_ptr<TensorFile> tensors = TensorFile::open(gguf, {{}, {}, File::Access::cached, flag}).value();
  Staging staging;
  int parts = 0;
  for (const GgufTensor& tensor : gguf.tensors()) {
    if (!tensors->read(tensor, TensorParts(tensor).get(0), staging).ok()) continue;
    if (++parts == 5) *flag = true;
  }
  CHECK_EQ(parts, 5);
  CHECK_EQ(tensors->fingerprint().status().code(), Code::cancelled);
  std::filesystem::remove_all(sums);
}

}  // namespace codicil::model
