// Models as files: split ones, checksums of tensors, a second copy that steps in. What comes out must be the same bits, or a refusal by name.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <random>

#include "native/base/test.h"
#include "native/engine/engine.h"
#include "native/engine/tiny_model_test_builder.h"
#include "native/model/gguf_test_builder.h"

namespace codicil {
namespace {

namespace fs = std::filesystem;
using test::TinyModel;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("codicil_files_" + std::to_string(std::random_device()()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

EngineOptions options_for(const std::string& path) {
  EngineOptions options;
  options.model_path = path;
  options.threads = 2;
  options.ram_budget_bytes = 32u << 20;
  return options;
}

Result<std::vector<double>> answer(const EngineOptions& options) {
  Result<std::unique_ptr<Engine>> engine = Engine::open(options, {});
  if (!engine.ok()) return engine.status();
  const std::unique_ptr<Session> session = engine.value()->open_session().value();
  session->sync({5, 6, 7, 8, 9}, {}, [](const Result<SyncReport>&) {});
  const auto promise = std::make_shared<std::promise<std::vector<double>>>();
  GenerateOptions generate;
  generate.max_tokens = 8;
  session->generate(generate, {},
                    [promise](Result<Generated> result) { promise->set_value(result.ok() ? result.value().logprobs : std::vector<double>()); });
  return promise->get_future().get();
}

// Changes one byte in the middle of a tensor of the file.
void damage(const std::string& path, const char* tensor) {
  const auto gguf = model::Gguf::read_file(path);
  REQUIRE_OK(gguf);
  const model::GgufTensor* found = gguf.value().find_tensor(tensor);
  REQUIRE(found != nullptr);
  std::fstream file(gguf.value().parts()[found->part], std::ios::in | std::ios::out | std::ios::binary);
  const auto at = static_cast<std::streamoff>(found->offset + found->bytes / 2);
  file.seekg(at);
  const int byte = file.get();
  file.seekp(at);
  file.put(static_cast<char>(byte ^ 0x10));
}

int files_in(const fs::path& folder) { return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator())); }

}  // namespace

CODICIL_TEST(a_split_model_gives_the_bits_and_the_plan_of_the_whole_one) {
  for (const char* architecture : {"llama", "qwen35moe"}) {
    const TinyModel model({architecture, kernels::Type::q4_0});
    const Folder folder;
    REQUIRE_OK(model::split_file(model.path(), folder.file("m"), 3));
    const std::string first = model::split_name(folder.file("m"), 0, 3);
    const auto whole = answer(options_for(model.path())), split = answer(options_for(first));
    REQUIRE_OK(whole);
    REQUIRE_OK(split);
    CHECK_EQ(split.value().size(), 8u);
    CHECK(whole.value() == split.value());
    CHECK_EQ(Engine::plan(options_for(model.path())).value().weight_bytes, Engine::plan(options_for(first)).value().weight_bytes);
    CHECK_EQ(Engine::inspect(model.path()).value().parameters, Engine::inspect(first).value().parameters);
    CHECK(Engine::inspect(first).value().file_bytes >= Engine::inspect(model.path()).value().file_bytes);
    fs::remove(model::split_name(folder.file("m"), 1, 3));
    CHECK_STATUS(answer(options_for(first)), Code::not_found, "m-00002-of-00003.gguf");
  }
}

CODICIL_TEST(a_damaged_tensor_is_refused_by_name_and_read_from_a_second_copy) {
  const TinyModel model({"llama", kernels::Type::q8_0});
  const Folder folder;
  const std::string one = folder.file("one.gguf"), two = folder.file("two.gguf"), checksums = folder.file("sums");
  fs::copy_file(model.path(), one);
  fs::copy_file(model.path(), two);
  EngineOptions options = options_for(one);
  const std::vector<double> expected = answer(options).value();
  options.checksum_folder = checksums;
  CHECK(answer(options).value() == expected);
  CHECK_EQ(files_in(checksums), 1);
  CHECK(answer(options).value() == expected);

  damage(one, "blk.1.ffn_down.weight");
  CHECK_STATUS(answer(options), Code::model_invalid, "tensor blk.1.ffn_down.weight is damaged");
  options.second_copy = two;
  CHECK(answer(options).value() == expected);
  options.second_copy = folder.file("none.gguf");
  CHECK_STATUS(answer(options), Code::model_invalid, "none.gguf");
  const TinyModel other({"qwen3", kernels::Type::q4_0});
  options.second_copy = other.path();
  CHECK_STATUS(answer(options), Code::model_invalid, "it is another model");
  damage(two, "blk.1.ffn_down.weight");
  options.second_copy = two;
  CHECK_STATUS(answer(options), Code::model_invalid, "and so it is in the second copy");
  // Only what is damaged must be sound in the copy: two halves of a file are enough.
  damage(one, "blk.1.ffn_down.weight");
  damage(one, "output_norm.weight");
  CHECK(answer(options).value() == expected);
}

CODICIL_TEST(the_second_copy_of_a_split_model_may_be_one_file) {
  const TinyModel model({"llama", kernels::Type::q4_0});
  const Folder folder;
  REQUIRE_OK(model::split_file(model.path(), folder.file("m"), 2));
  EngineOptions options = options_for(model::split_name(folder.file("m"), 0, 2));
  options.checksum_folder = folder.file("sums");
  const std::vector<double> expected = answer(options).value();
  damage(options.model_path, "token_embd.weight");
  damage(options.model_path, "blk.0.attn_k.weight");
  CHECK_STATUS(answer(options), Code::model_invalid, "is damaged");  // which of all its tensors is met first is not promised
  options.second_copy = model.path();
  CHECK(answer(options).value() == expected);
}

CODICIL_TEST(verify_names_every_damaged_tensor) {
  const TinyModel model({"llama", kernels::Type::q8_0});
  const Folder folder;
  const std::string one = folder.file("one.gguf");
  fs::copy_file(model.path(), one);
  EngineOptions options = options_for(one);
  CHECK_STATUS(Engine::verify(options), Code::invalid_request, "folder");
  options.checksum_folder = folder.file("sums");
  const auto first = Engine::verify(options), second = Engine::verify(options);
  REQUIRE_OK(first);
  REQUIRE_OK(second);
  CHECK(first.value().recorded_now && !second.value().recorded_now && second.value().damaged.empty());
  CHECK(second.value().tensors > 10 && second.value().bytes > 10'000);
  damage(one, "blk.1.ffn_up.weight");
  damage(one, "blk.0.attn_q.weight");
  const auto third = Engine::verify(options);
  REQUIRE_OK(third);
  CHECK_EQ(third.value().damaged.size(), 2u);
  CHECK(std::find(third.value().damaged.begin(), third.value().damaged.end(), "blk.0.attn_q.weight") != third.value().damaged.end());
  // A file cut short is refused before its tensors are looked at.
  fs::resize_file(one, fs::file_size(one) - 1000);
  CHECK_STATUS(Engine::verify(options), Code::model_invalid, "one.gguf");
}

CODICIL_TEST(a_record_with_any_byte_changed_counts_as_none) {
  const TinyModel model({"llama", kernels::Type::q4_0});
  const Folder folder;
  EngineOptions options = options_for(model.path());
  options.checksum_folder = folder.file("sums");
  const std::string sidecar = Engine::verify(options).value().sidecar;
  const auto size = static_cast<std::streamoff>(fs::file_size(sidecar));
  for (std::streamoff at = 0; at < size; at += at < 28 ? 1 : 13) {
    {
      std::fstream file(sidecar, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(at);
      const int byte = file.get();
      file.seekp(at);
      file.put(static_cast<char>(byte ^ 1));
    }
    CHECK(Engine::verify(options).value().recorded_now);
    CHECK(!Engine::verify(options).value().recorded_now);
  }
  fs::resize_file(sidecar, static_cast<std::uintmax_t>(size) - 1);
  CHECK(Engine::verify(options).value().recorded_now);
  // A model opens where its checksums can not be written.
  std::ofstream(folder.file("no_folder")) << "x";
  options.checksum_folder = folder.file("no_folder");
  CHECK_OK(answer(options));
  CHECK_STATUS(Engine::verify(options), Code::io_failed, "no_folder");
}

}  // namespace codicil
