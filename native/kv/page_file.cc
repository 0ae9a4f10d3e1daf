// Byte offsets are those of FORMAT.md.
#include "native/kv/page_file.h"

#include <cstdio>
#include <cstring>

#include "native/base/crc32c.h"
#include "native/kv/fields.h"
#include "native/kv/page_store.h"

namespace codicil::kv {

namespace {

constexpr char kMagic[8] = {'C', 'O', 'D', 'I', 'C', 'L', 'K', 'V'};
constexpr std::size_t kTokensAt = 80, kLayersAt = kTokensAt + kPageTokens * sizeof(Token), kCrcAt = kPageHeaderBytes - 4;
static_assert(kLayersAt + kMaxPageLayers * sizeof(std::uint32_t) <= kCrcAt);

Status corrupt(const std::string& expected, const std::string& found) {
  return Status(Code::corrupt_file, "expected a stored page with " + expected + ", found " + found + ": it is dropped and computed again");
}

}  // namespace

void write_page_header(const PageShape& shape, const PageHeader& header, std::span<std::byte> out) {
  std::memset(out.data(), 0, kPageHeaderBytes);
  std::memcpy(out.data(), kMagic, sizeof kMagic);
  put(out, 8, kPageFileVersion);
  put(out, 12, static_cast<std::uint32_t>(shape.format));
  put(out, 16, shape.model_fingerprint);
  put(out, 24, static_cast<std::uint32_t>(shape.layers));
  put(out, 28, static_cast<std::uint32_t>(shape.kv_heads));
  put(out, 32, static_cast<std::uint32_t>(shape.head_dim));
  put(out, 36, static_cast<std::uint32_t>(kPageTokens));
  put(out, 40, header.name);
  put(out, 56, header.previous);
  put(out, 72, header.data_bytes);
  std::memcpy(out.data() + kTokensAt, header.tokens.data(), sizeof header.tokens);
  std::memcpy(out.data() + kLayersAt, header.layer_crc.data(), static_cast<std::size_t>(shape.layers) * sizeof(std::uint32_t));
  put(out, kCrcAt, crc32c(out.first(kCrcAt)));
}

Result<PageHeader> read_page_header(const PageShape& shape, std::span<const std::byte> in) {
  if (in.size() < kPageHeaderBytes) return corrupt("a header of 4096 bytes", std::to_string(in.size()) + " bytes");
  if (std::memcmp(in.data(), kMagic, sizeof kMagic) != 0) return corrupt("the mark CODICLKV", "another beginning");
  if (get<std::uint32_t>(in, 8) != kPageFileVersion) return corrupt("version 3", "version " + std::to_string(get<std::uint32_t>(in, 8)));
  if (get<std::uint32_t>(in, kCrcAt) != crc32c(in.first(kCrcAt))) return corrupt("a header that agrees with its checksum", "another checksum");
  const bool same = get<std::uint32_t>(in, 12) == static_cast<std::uint32_t>(shape.format) && get<std::uint64_t>(in, 16) == shape.model_fingerprint &&
                    get<std::uint32_t>(in, 24) == static_cast<std::uint32_t>(shape.layers) &&
                    get<std::uint32_t>(in, 28) == static_cast<std::uint32_t>(shape.kv_heads) &&
                    get<std::uint32_t>(in, 32) == static_cast<std::uint32_t>(shape.head_dim) && get<std::uint32_t>(in, 36) == kPageTokens;
  if (!same) return corrupt("this model's weights and geometry", "another model's");
  PageHeader header;
  header.name = get<PageName>(in, 40);
  header.previous = get<PageName>(in, 56);
  header.data_bytes = get<std::uint64_t>(in, 72);
  if (header.data_bytes != shape.page_bytes())
    return corrupt(std::to_string(shape.page_bytes()) + " bytes of data", std::to_string(header.data_bytes));
  std::memcpy(header.tokens.data(), in.data() + kTokensAt, sizeof header.tokens);
  // A page may then never continue itself, however a file came about: what walks the links ends.
  if (header.name != next_name(header.previous, header.tokens)) return corrupt("the name that its tokens give it", "another name");
  const std::size_t crc_bytes = static_cast<std::size_t>(shape.layers) * sizeof(std::uint32_t);
  std::memcpy(header.layer_crc.data(), in.data() + kLayersAt, crc_bytes);
  if (!is_zero(in.subspan(kLayersAt + crc_bytes, kCrcAt - kLayersAt - crc_bytes)))
    return corrupt("zeros behind the checksums of its layers", "something else");
  return header;
}

void describe_page_data(const PageShape& shape, std::span<const std::byte> data, PageHeader& header) {
  header.data_bytes = data.size();
  for (int layer = 0; layer < shape.layers; ++layer)
    header.layer_crc[static_cast<std::size_t>(layer)] =
        crc32c(data.subspan(static_cast<std::size_t>(layer) * shape.layer_bytes(), shape.layer_bytes()));
}

Status check_page_layer(const PageHeader& header, int layer, std::span<const std::byte> slice) {
  if (crc32c(slice) == header.layer_crc[static_cast<std::size_t>(layer)]) return {};
  return corrupt("data that agree with their checksum", "another checksum in layer " + std::to_string(layer));
}

Status check_page_data(const PageShape& shape, const PageHeader& header, std::span<const std::byte> data) {
  if (data.size() != shape.page_bytes()) return corrupt(std::to_string(shape.page_bytes()) + " bytes of data", std::to_string(data.size()));
  for (int layer = 0; layer < shape.layers; ++layer) {
    Status status = check_page_layer(header, layer, data.subspan(static_cast<std::size_t>(layer) * shape.layer_bytes(), shape.layer_bytes()));
    if (!status.ok()) return status;
  }
  return {};
}

std::string hex_name(const PageName& name) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(name.high), static_cast<unsigned long long>(name.low));
  return text;
}

bool read_hex_name(const std::string& text, PageName& name) {
  if (text.size() != 32 || text.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  name = {std::stoull(text.substr(16), nullptr, 16), std::stoull(text.substr(0, 16), nullptr, 16)};
  return true;
}

}  // namespace codicil::kv
