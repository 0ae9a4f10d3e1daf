// libFuzzer target: any bytes as the file of one page. `CXX=clang++ node tools/native.mjs fuzz`.
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  codicil::kv::PageShape shape;
  shape.layers = 1;
  shape.kv_heads = 1;
  shape.head_dim = 8;
  shape.model_fingerprint = 0;
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  read_page(shape, bytes);
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
  return 0;
}
