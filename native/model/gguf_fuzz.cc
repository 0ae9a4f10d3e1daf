// libFuzzer target: any bytes as a GGUF file, through config and tokenizer. `CXX=clang++ node tools/native.mjs fuzz`.
#include <cstddef>
#include <cstdint>
#include <span>

#include "native/model/config.h"
#include "native/model/gguf.h"
#include "native/model/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace codicil::model;
  const auto gguf = Gguf::read(codicil::MemorySource({reinterpret_cast<const std::byte*>(data), size}, size, "fuzz"));
  if (!gguf.ok()) return 0;
  (void)read_config(gguf.value()).ok();
  const auto tokenizer = Tokenizer::read(gguf.value());
  if (tokenizer.ok()) (void)tokenizer.value().encode("Any text <|im_end|> 12", true);
  return 0;
}
