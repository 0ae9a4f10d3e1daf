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
inline constexpr std::uint32_t kPageFileVersion = 1;

struct PageHeader {
  PageName name, previous;
  std::array<Token, kPageTokens> tokens{};
  std::uint64_t data_bytes = 0;
  std::uint32_t data_crc = 0;
};

// out[kPageHeaderBytes].
void write_page_header(const PageShape& shape, const PageHeader& header, std::span<std::byte> out);
// corrupt_file: another magic, version, checksum or geometry than `shape`.
Result<PageHeader> read_page_header(const PageShape& shape, std::span<const std::byte> bytes);
// ok, or corrupt_file when the data's checksum is not the header's.
Status check_page_data(const PageHeader& header, std::span<const std::byte> data);

std::string hex_name(const PageName& name);  // 32 digits: high, then low

}  // namespace codicil::kv
