// libFuzzer target: the file of one page, changed; in every format, with and without checksums that were made right again. `node tools/fuzz.mjs page_file`.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "native/base/crc32c.h"
#include "native/base/fuzz_input.h"
#include "native/kv/fields.h"
#include "native/kv/page_file.h"
#include "native/kv/page_store.h"

namespace codicil::kv {
namespace {

constexpr std::size_t kCrcAt = kPageHeaderBytes - 4;  // FORMAT.md
constexpr std::uint8_t kRaw = 1, kMendHeader = 2, kMendLayers = 4, kMendName = 8;

struct SoundPage {
  PageShape shape;
  std::vector<std::byte> file;
};

SoundPage sound_page(Format format, int layers) {
  SoundPage out{{layers, 1, 32, format, 0x1122334455667788}, {}};
  out.file.resize(kPageHeaderBytes + out.shape.page_bytes());
  for (std::size_t i = kPageHeaderBytes; i < out.file.size(); ++i) out.file[i] = std::byte(i * 31 >> 3);
  PageHeader header;
  header.previous = first_name(out.shape.model_fingerprint);
  for (std::size_t i = 0; i < header.tokens.size(); ++i) header.tokens[i] = static_cast<Token>(i * 17);
  header.name = next_name(header.previous, header.tokens);
  describe_page_data(out.shape, std::span(out.file).subspan(kPageHeaderBytes), header);
  write_page_header(out.shape, header, out.file);
  return out;
}

const SoundPage& choose(std::uint8_t choice) {
  static const auto pages = [] {
    std::vector<SoundPage> out;
    for (const Format format : kFormats)
      for (const int layers : {1, 3}) out.push_back(sound_page(format, layers));
    return out;
  }();
  return pages[choice % pages.size()];
}

// Makes right again what the changes made wrong, so that the check behind it is reached.
void mend(const PageShape& shape, std::uint8_t what, std::vector<std::byte>& file) {
  if (file.size() < kPageHeaderBytes) return;
  const std::span<std::byte> header(file.data(), kPageHeaderBytes), data = std::span(file).subspan(kPageHeaderBytes);
  if ((what & kMendName) != 0) {
    std::array<Token, kPageTokens> tokens;
    std::memcpy(tokens.data(), header.data() + 80, sizeof tokens);
    put(header, 40, next_name(get<PageName>(header, 56), tokens));
  }
  for (std::size_t layer = 0; (what & kMendLayers) != 0 && (layer + 1) * shape.layer_bytes() <= data.size(); ++layer)
    put(header, 80 + kPageTokens * sizeof(Token) + layer * 4, crc32c(data.subspan(layer * shape.layer_bytes(), shape.layer_bytes())));
  if ((what & kMendHeader) != 0) put(header, kCrcAt, crc32c(header.first(kCrcAt)));
}

void check(const SoundPage& sound, std::span<const std::byte> file) {
  const auto header = read_page_header(sound.shape, file);
  if (!header.ok()) return;
  // What was accepted is written back as it was, to the last bit.
  std::vector<std::byte> again(kPageHeaderBytes);
  write_page_header(sound.shape, header.value(), again);
  if (std::memcmp(again.data(), file.data(), kPageHeaderBytes) != 0) std::abort();
  if (hex_name(header.value().name).size() != 32 || header.value().name != next_name(header.value().previous, header.value().tokens)) std::abort();
  const std::span<const std::byte> data = file.subspan(kPageHeaderBytes);
  if (!check_page_data(sound.shape, header.value(), data).ok()) return;
  // A sound header never vouches for other data: that would take two that have one CRC-32C.
  const bool same_header = std::memcmp(file.data(), sound.file.data(), kPageHeaderBytes) == 0;
  if (same_header && std::memcmp(file.data(), sound.file.data(), sound.file.size()) != 0) std::abort();
}

}  // namespace
}  // namespace codicil::kv

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace codicil::kv;
  codicil::FuzzInput input(data, size);
  const std::uint8_t mended = input.choice();
  const SoundPage& sound = choose(input.choice());
  std::vector<std::byte> file = (mended & kRaw) != 0 ? input.bytes() : input.changed(sound.file);
  mend(sound.shape, mended, file);
  check(sound, file);
  return 0;
}
