// libFuzzer target: any bytes as the file of one page, and as that of one snapshot. `CXX=clang++ node tools/native.mjs fuzz`.
// Bytes are tried as they are and with the header's checksum made right, or nothing behind it would ever be reached.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "native/base/crc32c.h"
#include "native/kv/page_file.h"
#include "native/kv/page_store.h"
#include "native/kv/snapshot_file.h"

namespace {

constexpr std::size_t kLayersAt = 80 + codicil::kv::kPageTokens * sizeof(codicil::kv::Token),
                      kCrcAt = codicil::kv::kPageHeaderBytes - 4;  // FORMAT.md

void read_page(const codicil::kv::PageShape& shape, std::span<const std::byte> bytes) {
  using namespace codicil::kv;
  const auto header = read_page_header(shape, bytes);
  if (!header.ok()) return;
  const std::span<const std::byte> data = bytes.subspan(kPageHeaderBytes);
  (void)check_page_data(shape, header.value(), data.first(std::min<std::size_t>(data.size(), header.value().data_bytes))).ok();
  if (hex_name(header.value().name).size() != 32) std::abort();
  // What was accepted is written back as it was.
  std::vector<std::byte> again(kPageHeaderBytes);
  write_page_header(shape, header.value(), again);
  if (std::memcmp(again.data(), bytes.data(), kLayersAt + static_cast<std::size_t>(shape.layers) * 4) != 0) std::abort();
}

void read_snapshot(const codicil::kv::SnapshotShape& shape, std::span<const std::byte> bytes) {
  using namespace codicil::kv;
  const auto header = read_snapshot_header(shape, bytes);
  if (!header.ok()) return;
  const std::span<const std::byte> data = bytes.subspan(kSnapshotHeaderBytes);
  (void)check_snapshot_payload(header.value(), data.first(std::min<std::size_t>(data.size(), header.value().payload_bytes))).ok();
  Snapshot snapshot;
  snapshot.name = header.value().name;
  snapshot.previous = header.value().previous;
  snapshot.position = header.value().position;
  snapshot.rest = header.value().rest;
  snapshot.has_hidden = header.value().has_hidden;
  auto payload = codicil::AlignedBuffer::allocate(header.value().payload_bytes);
  if (!payload.ok()) return;
  snapshot.payload = std::move(payload).value();
  // What was accepted is written back as it was, but for the checksum of a payload that is not here.
  std::vector<std::byte> again(kSnapshotHeaderBytes);
  write_snapshot_header(shape, snapshot, again);
  if (std::memcmp(again.data(), bytes.data(), 104) != 0) std::abort();
  if (std::memcmp(again.data() + 108, bytes.data() + 108, 4 + snapshot.rest.size() * sizeof(Token)) != 0) std::abort();
}

// With the beginning, the name and the checksum that its own tokens ask for.
void mend_snapshot(const codicil::kv::SnapshotShape& shape, std::vector<std::byte>& bytes) {
  using namespace codicil::kv;
  std::vector<std::byte> sound(kSnapshotHeaderBytes);
  write_snapshot_header(shape, {}, sound);
  std::memcpy(bytes.data(), sound.data(), 40);
  std::uint32_t rest = 0;
  std::memcpy(&rest, bytes.data() + 108, sizeof rest);
  rest %= static_cast<std::uint32_t>(kPageTokens);
  const std::uint64_t position = rest, hidden = std::to_integer<unsigned>(bytes[88]) % 2 * shape.hidden_floats;
  const std::uint64_t payload = payload_bytes(shape, rest, hidden != 0);
  std::memcpy(bytes.data() + 108, &rest, sizeof rest);
  std::memcpy(bytes.data() + 72, &position, sizeof position);
  std::memcpy(bytes.data() + 80, &shape.state_floats, sizeof shape.state_floats);
  std::memcpy(bytes.data() + 88, &hidden, sizeof hidden);
  std::memcpy(bytes.data() + 96, &payload, sizeof payload);
  PageName previous;
  std::memcpy(&previous, bytes.data() + 56, sizeof previous);
  std::vector<Token> tokens(rest);
  std::memcpy(tokens.data(), bytes.data() + 112, rest * sizeof(Token));
  const PageName name = snapshot_name(previous, tokens);
  std::memcpy(bytes.data() + 40, &name, sizeof name);
  const std::uint32_t crc = codicil::crc32c(std::span(bytes).first(kCrcAt));
  std::memcpy(bytes.data() + kCrcAt, &crc, sizeof crc);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  codicil::kv::PageShape shape;
  shape.layers = 1;
  shape.kv_heads = 1;
  shape.head_dim = 8;
  shape.model_fingerprint = 0;
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  const codicil::kv::SnapshotShape snapshots{shape, 3, 2};
  read_page(shape, bytes);
  read_snapshot(snapshots, bytes);
  if (size < codicil::kv::kPageHeaderBytes) bytes.resize(codicil::kv::kPageHeaderBytes);
  // The beginning that every page of this shape has, unless the first byte asks for the input's own.
  if (size > 0 && (data[0] & 3) != 0) {
    std::vector<std::byte> sound(codicil::kv::kPageHeaderBytes);
    write_page_header(shape, {}, sound);
    std::memcpy(bytes.data(), sound.data(), 40);
    const std::uint64_t data_bytes = shape.page_bytes();
    if ((data[0] & 2) != 0) std::memcpy(bytes.data() + 72, &data_bytes, sizeof data_bytes);
  }
  const std::uint32_t crc = codicil::crc32c(std::span(bytes).first(kCrcAt));
  std::memcpy(bytes.data() + kCrcAt, &crc, sizeof crc);
  read_page(shape, bytes);
  mend_snapshot(snapshots, bytes);
  read_snapshot(snapshots, bytes);
  return 0;
}
