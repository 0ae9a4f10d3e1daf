// The file of one page: bytes in and out, as FORMAT.md has them.
//
// Owns: the byte table, its checks. Leaves names of files and which to keep to disk_store.h.
// Rule that must stay true: a header or data that is not exactly right is refused, with the field that is wrong; nothing is guessed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "native/kv/kv.h"

namespace codicil::kv {

inline constexpr std::size_t kPageHeaderBytes = 4096;
inline constexpr std::uint32_t kPageFileVersion = 3;
inline constexpr int kMaxPageLayers = 512;  // their checksums must fit the header; the deepest public models have 126

struct PageHeader {
  PageName name, previous;
  std::array<Token, kPageTokens> tokens{};
  std::uint64_t data_bytes = 0;
  std::array<std::uint32_t, kMaxPageLayers> layer_crc{};  // [shape.layers]
};

// Where a layer's slice of layer_bytes() begins in the file.
inline std::uint64_t layer_offset(const PageShape& shape, int layer) {
  return kPageHeaderBytes + static_cast<std::uint64_t>(layer) * shape.layer_bytes();
}

// out[kPageHeaderBytes].
void write_page_header(const PageShape& shape, const PageHeader& header, std::span<std::byte> out);
// corrupt_file: another magic, version, checksum or geometry than `shape`.
Result<PageHeader> read_page_header(const PageShape& shape, std::span<const std::byte> bytes);
// data[page_bytes] -> data_bytes and layer_crc.
void describe_page_data(const PageShape& shape, std::span<const std::byte> data, PageHeader& header);
// ok, or corrupt_file when a layer's checksum is not the header's. data[page_bytes]; slice[layer_bytes].
Status check_page_data(const PageShape& shape, const PageHeader& header, std::span<const std::byte> data);
Status check_page_layer(const PageHeader& header, int layer, std::span<const std::byte> slice);

std::string hex_name(const PageName& name);                   // 32 digits: high, then low
bool read_hex_name(const std::string& text, PageName& name);  // false: not such a name

}  // namespace codicil::kv
