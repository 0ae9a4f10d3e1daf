// The file of one snapshot: bytes in and out, as FORMAT.md has them, and what a snapshot is in memory.
//
// A snapshot is what the full pages before a position do not hold: the keys and values of the last, partial page, the recurrent state (none for
// a model of attention alone) and the hidden state of the last token (none where it was not known).
// Rule that must stay true: a header or payload that is not exactly right is refused, with the field that is wrong; nothing is guessed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "native/base/file.h"
#include "native/kv/kv.h"

namespace codicil::kv {

inline constexpr std::size_t kSnapshotHeaderBytes = 4096;
inline constexpr std::uint32_t kSnapshotFileVersion = 1;

// What every snapshot of a model has.
struct SnapshotShape {
  PageShape page;
  std::uint64_t state_floats = 0;   // of the recurrent state; 0: the model has none
  std::uint64_t hidden_floats = 0;  // of one hidden state
};

struct Snapshot {
  PageName name, previous;  // previous: of the last full page before it, the model's first name where there is none
  std::int64_t position = 0;
  std::vector<Token> rest;  // [position % kPageTokens] tokens behind that page
  bool has_hidden = false;
  // state f32[state_floats], hidden f32[hidden_floats] where there is one, rows of `rest` (pack_rows), zeros to a multiple of 4,096.
  AlignedBuffer payload;

  std::span<const float> state(const SnapshotShape& shape) const;
  std::span<const float> hidden(const SnapshotShape& shape) const;  // empty: not known
  const std::byte* rows(const SnapshotShape& shape) const;
  std::uint64_t bytes() const { return payload.size() + rest.size() * sizeof(Token) + sizeof(Snapshot); }
};

std::uint64_t payload_bytes(const SnapshotShape& shape, std::size_t rest, bool has_hidden);
// Bytes of the rows of `tokens` tokens: for every layer k[kv_heads, groups of 16], then v[kv_heads, tokens].
std::uint64_t rows_bytes(const PageShape& shape, std::size_t tokens);
void pack_rows(const PageShape& shape, const std::byte* page, std::size_t tokens, std::byte* out);
void unpack_rows(const PageShape& shape, const std::byte* rows, std::size_t tokens, std::byte* page);

// out[kSnapshotHeaderBytes].
void write_snapshot_header(const SnapshotShape& shape, const Snapshot& snapshot, std::span<std::byte> out);
// Everything but the payload, whose size is set and whose checksum comes out; corrupt_file: another magic, version, checksum or geometry than `shape`.
struct SnapshotHeader {
  PageName name, previous;
  std::int64_t position = 0;
  std::vector<Token> rest;
  bool has_hidden = false;
  std::uint64_t payload_bytes = 0;
  std::uint32_t payload_crc = 0;
};
Result<SnapshotHeader> read_snapshot_header(const SnapshotShape& shape, std::span<const std::byte> bytes);
// ok, or corrupt_file.
Status check_snapshot_payload(const SnapshotHeader& header, std::span<const std::byte> payload);

}  // namespace codicil::kv
