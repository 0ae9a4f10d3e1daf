// libFuzzer target: the file of one snapshot, changed; in every format, with and without checksums that were made right again.
// `node tools/fuzz.mjs snapshot_file`.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "native/base/crc32c.h"
#include "native/base/fuzz_input.h"
#include "native/kv/fields.h"
#include "native/kv/page_store.h"
#include "native/kv/snapshot_file.h"

namespace codicil::kv {
namespace {

constexpr std::size_t kTokensAt = 112, kCrcAt = kSnapshotHeaderBytes - 4;  // FORMAT.md
constexpr std::uint8_t kRaw = 1, kMendHeader = 2, kMendPayload = 4, kMendName = 8, kHidden = 16;

SnapshotShape shape_of(std::uint8_t choice) {
  constexpr std::uint8_t kCount = kFormats.size();
  const PageShape page{1 + choice / kCount % 2, 1, 32, kFormats[choice % kCount], 0x1122334455667788};
  return {page, choice / kCount / 2 % 2 == 0 ? std::uint64_t{7} : 0, 3};
}

std::vector<std::byte> sound_file(const SnapshotShape& shape, std::uint8_t rest, bool has_hidden) {
  Snapshot snapshot;
  snapshot.previous = first_name(shape.page.model_fingerprint);
  snapshot.position = 2 * kPageTokens + rest;
  for (int i = 0; i < rest; ++i) snapshot.rest.push_back(i * 17);
  snapshot.name = snapshot_name(snapshot.previous, snapshot.rest);
  snapshot.has_hidden = has_hidden;
  auto payload = AlignedBuffer::allocate(static_cast<std::size_t>(payload_bytes(shape, rest, has_hidden)));
  if (!payload.ok()) std::abort();
  snapshot.payload = std::move(payload).value();
  for (std::size_t i = 0; i < snapshot.payload.size(); ++i) snapshot.payload.data()[i] = std::byte(i * 31 >> 3);
  std::vector<std::byte> file(kSnapshotHeaderBytes);
  write_snapshot_header(shape, snapshot, file);
  file.insert(file.end(), snapshot.payload.data(), snapshot.payload.data() + snapshot.payload.size());
  return file;
}

// Makes right again what the changes made wrong, so that the check behind it is reached.
void mend(std::uint8_t what, std::vector<std::byte>& file) {
  if (file.size() < kSnapshotHeaderBytes) return;
  const std::span<std::byte> header(file.data(), kSnapshotHeaderBytes), data = std::span(file).subspan(kSnapshotHeaderBytes);
  if ((what & kMendName) != 0) {
    std::vector<Token> rest(get<std::uint32_t>(header, 108) % kPageTokens);
    get_all<Token>(header, kTokensAt, rest);
    put(header, 40, snapshot_name(get<PageName>(header, 56), rest));
  }
  if ((what & kMendPayload) != 0) put(header, 104, crc32c(data));
  if ((what & kMendHeader) != 0) put(header, kCrcAt, crc32c(header.first(kCrcAt)));
}

void check(const SnapshotShape& shape, std::span<const std::byte> sound, std::span<const std::byte> file) {
  const auto header = read_snapshot_header(shape, file);
  if (!header.ok()) return;
  const std::span<const std::byte> data = file.subspan(kSnapshotHeaderBytes);
  if (!check_snapshot_payload(header.value(), data).ok()) return;
  Snapshot snapshot;
  snapshot.name = header.value().name;
  snapshot.previous = header.value().previous;
  snapshot.position = header.value().position;
  snapshot.rest = header.value().rest;
  snapshot.has_hidden = header.value().has_hidden;
  auto payload = AlignedBuffer::allocate(data.size());
  if (!payload.ok()) return;
  snapshot.payload = std::move(payload).value();
  std::copy(data.begin(), data.end(), snapshot.payload.data());
  // What was accepted is written back as it was, to the last bit.
  std::vector<std::byte> again(kSnapshotHeaderBytes);
  write_snapshot_header(shape, snapshot, again);
  if (std::memcmp(again.data(), file.data(), kSnapshotHeaderBytes) != 0) std::abort();
  // Its rows fit a page, and come out of it as they went in but for what lies behind the last token.
  std::vector<std::byte> page(shape.page.page_bytes()), rows(rows_bytes(shape.page, snapshot.rest.size())), twice(rows.size());
  unpack_rows(shape.page, snapshot.rows(shape), snapshot.rest.size(), page.data());
  pack_rows(shape.page, page.data(), snapshot.rest.size(), rows.data());
  unpack_rows(shape.page, rows.data(), snapshot.rest.size(), page.data());
  pack_rows(shape.page, page.data(), snapshot.rest.size(), twice.data());
  if (rows != twice) std::abort();
  // A sound header never vouches for another payload: that would take two that have one CRC-32C.
  const bool same_header = std::memcmp(file.data(), sound.data(), kSnapshotHeaderBytes) == 0;
  if (same_header && std::memcmp(file.data(), sound.data(), sound.size()) != 0) std::abort();
}

}  // namespace
}  // namespace codicil::kv

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace codicil::kv;
  codicil::FuzzInput input(data, size);
  const std::uint8_t mended = input.choice();
  const SnapshotShape shape = shape_of(input.choice());
  const std::vector<std::byte> sound = sound_file(shape, input.choice(), (mended & kHidden) != 0);
  std::vector<std::byte> file = (mended & kRaw) != 0 ? input.bytes() : input.changed(sound);
  mend(mended, file);
  check(shape, sound, file);
  return 0;
}
