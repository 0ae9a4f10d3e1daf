// libFuzzer target: any bytes as a GGUF file, through config and tokenizer; and the header of a sound model of each architecture and tokenizer,
// changed. `node tools/fuzz.mjs gguf`.
#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "native/base/fuzz_input.h"
#include "native/model/config.h"
#include "native/model/gguf.h"
#include "native/model/random_model.h"
#include "native/model/tokenizer.h"

namespace {

using namespace codicil::model;

struct SoundHeader {
  std::vector<std::byte> bytes;
  std::uint64_t file_bytes = 0;
};

// A header and, behind it, weights of zeros.
class HeaderSource final : public codicil::ByteSource {
 public:
  HeaderSource(std::span<const std::byte> bytes, std::uint64_t file_bytes) : bytes_(bytes), file_bytes_(file_bytes) {}
  std::uint64_t size() const override { return file_bytes_; }
  const std::string& name() const override { return name_; }
  codicil::Status read(std::uint64_t offset, std::span<std::byte> out) const override {
    std::fill(out.begin(), out.end(), std::byte{0});
    const auto known = bytes_.subspan(std::min<std::size_t>(offset, bytes_.size()));
    std::copy_n(known.begin(), std::min(known.size(), out.size()), out.begin());
    return {};
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t file_bytes_;
  std::string name_ = "fuzz";
};

void read(const codicil::ByteSource& source) {
  const auto gguf = Gguf::read(source);
  if (!gguf.ok()) return;
  (void)read_config(gguf.value()).ok();
  const auto tokenizer = Tokenizer::read(gguf.value());
  if (tokenizer.ok()) (void)tokenizer.value().encode("Any text <|im_end|> 12", true);
}

SoundHeader sound_header(const char* architecture) {
  const std::string name = architecture;
  const bool hybrid = name.starts_with("qwen35"), experts = name.ends_with("moe");
  ModelShape shape{};
  shape.name = "fuzz";
  shape.architecture = architecture;
  shape.layers = hybrid ? 4 : 1;
  shape.embedding = 32, shape.heads = 2, shape.kv_heads = 1, shape.head_dim = 16;
  if (experts)
    shape.experts = 4, shape.experts_used = 2, shape.expert_ffn = 32;
  else
    shape.ffn = 32;
  if (experts && hybrid) shape.shared_ffn = 32;
  if (hybrid) shape.key_heads = 2, shape.value_heads = 2, shape.delta_dim = 16;
  shape.rope_dims = 8, shape.vocab = 300, shape.context = 64, shape.rope_base = 10000, shape.tied = true;
  const std::string path = (std::filesystem::temp_directory_path() / ("codicil_gguf_fuzz_" + std::to_string(getpid()))).string();
  if (!write_random_model(shape, codicil::kernels::Type::f32, 1, path).ok()) std::abort();
  SoundHeader out;
  const auto gguf = Gguf::read_file(path);
  if (!gguf.ok() || !read_config(gguf.value()).ok() || !Tokenizer::read(gguf.value()).ok()) std::abort();
  out.file_bytes = gguf.value().file_bytes();
  std::vector<char> head(static_cast<std::size_t>(gguf.value().header_bytes()));
  std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  const auto view = std::as_bytes(std::span(head));
  out.bytes.assign(view.begin(), view.end());
  std::filesystem::remove(path);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto headers = [] {
    std::vector<SoundHeader> out;
    for (const char* architecture : {"llama", "qwen2", "qwen3", "qwen3moe", "qwen35", "qwen35moe"}) out.push_back(sound_header(architecture));
    return out;
  }();
  read(codicil::MemorySource({reinterpret_cast<const std::byte*>(data), size}, size, "fuzz"));
  codicil::FuzzInput input(data, size);
  const SoundHeader& sound = headers[input.choice() % headers.size()];
  const std::vector<std::byte> changed = input.changed(sound.bytes);
  read(HeaderSource(changed, sound.file_bytes));
  return 0;
}
