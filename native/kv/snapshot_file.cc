// Byte offsets are those of FORMAT.md.
#include "native/kv/snapshot_file.h"

#include <cstring>
#include <string>

#include "native/base/crc32c.h"
#include "native/kv/fields.h"
#include "native/kv/page_store.h"

namespace codicil::kv {

namespace {

constexpr char kMagic[8] = {'C', 'O', 'D', 'I', 'C', 'L', 'S', 'N'};
constexpr std::size_t kTokensAt = 112, kCrcAt = 4092;
constexpr std::uint64_t kBlock = 4096;  // payloads fill whole blocks, to be read past the system's cache

Status corrupt(const std::string& expected, const std::string& found) {
  return Status(Code::corrupt_file, "expected a stored snapshot with " + expected + ", found " + found + ": it is dropped and computed again");
}

// Keys of 16 tokens lie interleaved: they come in whole groups.
std::size_t key_rows(std::size_t tokens) { return (tokens + kKeyGroup - 1) / kKeyGroup * kKeyGroup; }

// Calls copy(offset in the page, offset in the rows, bytes, is_keys) for the rows of every head.
template <typename Copy>
void each_run(const PageShape& shape, std::size_t tokens, Copy copy) {
  if (tokens == 0) return;  // at the end of a page: there may be no memory either
  std::size_t packed = 0;
  for (int layer = 0; layer < shape.layers; ++layer) {
    std::size_t at = static_cast<std::size_t>(layer) * shape.layer_bytes();
    for (const bool keys : {true, false}) {
      const std::size_t row = keys ? shape.key_bytes() : shape.value_bytes(), bytes = (keys ? key_rows(tokens) : tokens) * row;
      for (int head = 0; head < shape.kv_heads; ++head, at += kPageTokens * row, packed += bytes) copy(at, packed, bytes, keys);
    }
  }
}

// Zeroes what a group of keys has of tokens from `first` on: a snapshot holds nothing of what came after it.
void clear_keys(const PageShape& shape, std::byte* group, std::size_t first) {
  const auto clear = [&](std::size_t at, std::size_t element) { std::memset(group + at + first * element, 0, (kKeyGroup - first) * element); };
  if (shape.format == Format::f16) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.head_dim); ++i) clear(i * kKeyGroup * 2, 2);
    return;
  }
  const std::size_t blocks = static_cast<std::size_t>(shape.head_dim / kFormatBlock), codes = shape.key_bytes() / blocks - 2;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t at = block * kKeyGroup * (2 + codes);
    clear(at, 2);
    for (std::size_t code = 0; code < codes; ++code) clear(at + kKeyGroup * (2 + code), 1);
  }
}

}  // namespace

std::span<const float> Snapshot::state(const SnapshotShape& shape) const { return {payload.as<float>(), shape.state_floats}; }
std::span<const float> Snapshot::hidden(const SnapshotShape& shape) const {
  return {payload.as<float>() + shape.state_floats, has_hidden ? shape.hidden_floats : 0};
}
const std::byte* Snapshot::rows(const SnapshotShape& shape) const {
  return payload.data() + (shape.state_floats + (has_hidden ? shape.hidden_floats : 0)) * sizeof(float);
}

std::uint64_t rows_bytes(const PageShape& shape, std::size_t tokens) {
  return static_cast<std::uint64_t>(shape.layers) * static_cast<std::uint64_t>(shape.kv_heads) *
         (key_rows(tokens) * shape.key_bytes() + tokens * shape.value_bytes());
}

std::uint64_t payload_bytes(const SnapshotShape& shape, std::size_t rest, bool has_hidden) {
  const std::uint64_t floats = shape.state_floats + (has_hidden ? shape.hidden_floats : 0);
  return (floats * sizeof(float) + rows_bytes(shape.page, rest) + kBlock - 1) / kBlock * kBlock;
}

void pack_rows(const PageShape& shape, const std::byte* page, std::size_t tokens, std::byte* out) {
  each_run(shape, tokens, [&](std::size_t at, std::size_t packed, std::size_t bytes, bool keys) {
    std::memcpy(out + packed, page + at, bytes);
    if (keys && tokens % kKeyGroup != 0) clear_keys(shape, out + packed + bytes - kKeyGroup * shape.key_bytes(), tokens % kKeyGroup);
  });
}
void unpack_rows(const PageShape& shape, const std::byte* rows, std::size_t tokens, std::byte* page) {
  each_run(shape, tokens, [&](std::size_t at, std::size_t packed, std::size_t bytes, bool) { std::memcpy(page + at, rows + packed, bytes); });
}

void write_snapshot_header(const SnapshotShape& shape, const Snapshot& snapshot, std::span<std::byte> out) {
  std::memset(out.data(), 0, kSnapshotHeaderBytes);
  std::memcpy(out.data(), kMagic, sizeof kMagic);
  put(out, 8, kSnapshotFileVersion);
  put(out, 12, static_cast<std::uint32_t>(shape.page.format));
  put(out, 16, shape.page.model_fingerprint);
  put(out, 24, static_cast<std::uint32_t>(shape.page.layers));
  put(out, 28, static_cast<std::uint32_t>(shape.page.kv_heads));
  put(out, 32, static_cast<std::uint32_t>(shape.page.head_dim));
  put(out, 36, static_cast<std::uint32_t>(kPageTokens));
  put(out, 40, snapshot.name);
  put(out, 56, snapshot.previous);
  put(out, 72, static_cast<std::uint64_t>(snapshot.position));
  put(out, 80, shape.state_floats);
  put(out, 88, snapshot.has_hidden ? shape.hidden_floats : std::uint64_t{0});
  put(out, 96, static_cast<std::uint64_t>(snapshot.payload.size()));
  put(out, 104, crc32c({snapshot.payload.data(), snapshot.payload.size()}));
  put(out, 108, static_cast<std::uint32_t>(snapshot.rest.size()));
  put_all<Token>(out, kTokensAt, snapshot.rest);
  put(out, kCrcAt, crc32c(out.first(kCrcAt)));
}

Result<SnapshotHeader> read_snapshot_header(const SnapshotShape& shape, std::span<const std::byte> in) {
  if (in.size() < kSnapshotHeaderBytes) return corrupt("a header of 4096 bytes", std::to_string(in.size()) + " bytes");
  if (std::memcmp(in.data(), kMagic, sizeof kMagic) != 0) return corrupt("the mark CODICLSN", "another beginning");
  if (get<std::uint32_t>(in, 8) != kSnapshotFileVersion) return corrupt("version 1", "version " + std::to_string(get<std::uint32_t>(in, 8)));
  if (get<std::uint32_t>(in, kCrcAt) != crc32c(in.first(kCrcAt))) return corrupt("a header that agrees with its checksum", "another checksum");
  const bool same = get<std::uint32_t>(in, 12) == static_cast<std::uint32_t>(shape.page.format) &&
                    get<std::uint64_t>(in, 16) == shape.page.model_fingerprint &&
                    get<std::uint32_t>(in, 24) == static_cast<std::uint32_t>(shape.page.layers) &&
                    get<std::uint32_t>(in, 28) == static_cast<std::uint32_t>(shape.page.kv_heads) &&
                    get<std::uint32_t>(in, 32) == static_cast<std::uint32_t>(shape.page.head_dim) && get<std::uint32_t>(in, 36) == kPageTokens &&
                    get<std::uint64_t>(in, 80) == shape.state_floats;
  if (!same) return corrupt("this model's weights and geometry", "another model's");
  SnapshotHeader header;
  header.name = get<PageName>(in, 40);
  header.previous = get<PageName>(in, 56);
  const auto position = get<std::uint64_t>(in, 72);
  const auto hidden = get<std::uint64_t>(in, 88);
  const auto rest = get<std::uint32_t>(in, 108);
  header.payload_bytes = get<std::uint64_t>(in, 96);
  header.payload_crc = get<std::uint32_t>(in, 104);
  if (hidden != 0 && hidden != shape.hidden_floats)
    return corrupt(std::to_string(shape.hidden_floats) + " floats of hidden state", std::to_string(hidden));
  if (position > (std::uint64_t{1} << 40) || rest != position % kPageTokens)
    return corrupt("fewer than 256 tokens behind its page", std::to_string(rest));
  header.position = static_cast<std::int64_t>(position);
  header.has_hidden = hidden != 0;
  if (header.payload_bytes != payload_bytes(shape, rest, header.has_hidden))
    return corrupt(std::to_string(payload_bytes(shape, rest, header.has_hidden)) + " bytes of payload", std::to_string(header.payload_bytes));
  header.rest.resize(rest);
  get_all<Token>(in, kTokensAt, header.rest);
  if (header.name != snapshot_name(header.previous, header.rest)) return corrupt("the name that its tokens give it", "another name");
  const std::size_t end = kTokensAt + rest * sizeof(Token);
  if (!is_zero(in.subspan(end, kCrcAt - end))) return corrupt("zeros behind its tokens", "something else");
  return header;
}

Status check_snapshot_payload(const SnapshotHeader& header, std::span<const std::byte> payload) {
  if (payload.size() == header.payload_bytes && crc32c(payload) == header.payload_crc) return {};
  return corrupt("a payload that agrees with its checksum", "another checksum");
}

}  // namespace codicil::kv
