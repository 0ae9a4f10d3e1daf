// The walk of attention over pages and tiles, the same for every instruction set: blocks of query rows x tiles of 64 keys.
//
// Owns: the scratch layout and the order of blocks, tiles and rows. Leaves arithmetic to `Isa`, a struct of static functions in the including file:
//   transpose_keys, widen, dequantize, do_rows<R>, clear(sums, n), scale(sums, factor, out, n).
// Quantized rows of a tile become f16 rows first; from there on the tile is one of f16.
// Rule that must stay true: everything here has internal linkage. The including files are compiled for different instruction sets, and
// a function that the linker merged could run instructions that the machine lacks; hence the unnamed namespace in a header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/kernels.h"
#include "kernels/reference/formats.h"

namespace codicil::kernels {
namespace {

constexpr int kTile = 64;      // keys per tile: four zmm or eight ymm of scores
constexpr int kMaxRows = 96;   // rows per block: amortizes the widening of a tile to below 5 % of the work
constexpr int kWidenFrom = 8;  // fewer rows read the f16 tile directly

struct Scratch {
  std::uint16_t* k16;     // [head_dim, 64] f16
  float* k32;             // [head_dim, 64]
  float* v32;             // [64, head_dim]
  float* scores;          // [rows, 64], weights after the softmax
  float* sums;            // [rows, head_dim]
  float* maximum;         // [rows]
  float* total;           // [rows]
  float* decay;           // [rows] factor of the old sums in this tile
  const float** q;        // [rows]
  std::uint16_t* k_rows;  // [64, head_dim] f16, keys of a tile that were quantized
  std::uint16_t* v_rows;  // [64, head_dim] f16, values
};

int block_queries(int group) { return group >= kMaxRows ? 1 : kMaxRows / group; }

std::size_t layout(void* base, int group, int head_dim, Scratch* out) {
  const std::size_t rows = static_cast<std::size_t>(block_queries(group) * group), dims = static_cast<std::size_t>(head_dim);
  std::size_t at = 0;
  const auto take = [&](std::size_t bytes) {
    const std::size_t here = at;
    at += (bytes + 63) / 64 * 64;
    return static_cast<char*>(base) + (base ? here : 0);
  };
  Scratch s;
  s.k16 = reinterpret_cast<std::uint16_t*>(take(dims * kTile * 2));
  s.k32 = reinterpret_cast<float*>(take(dims * kTile * 4));
  s.v32 = reinterpret_cast<float*>(take(dims * kTile * 4));
  s.scores = reinterpret_cast<float*>(take(rows * kTile * 4));
  s.sums = reinterpret_cast<float*>(take(rows * dims * 4));
  s.maximum = reinterpret_cast<float*>(take(rows * 4));
  s.total = reinterpret_cast<float*>(take(rows * 4));
  s.decay = reinterpret_cast<float*>(take(rows * 4));
  s.q = reinterpret_cast<const float**>(take(rows * sizeof(float*)));
  s.k_rows = reinterpret_cast<std::uint16_t*>(take(dims * kTile * 2));
  s.v_rows = reinterpret_cast<std::uint16_t*>(take(dims * kTile * 2));
  if (out) *out = s;
  return at;
}

struct Tile {
  std::int64_t begin;  // position of its first key
  int keys;            // keys that some row of the block may see
};

template <class Isa, class K, class V>
void do_tile(const Scratch& s, const Tile& tile, const K* k, const V* v, int group, int rows, std::int64_t first_position, int head_dim,
             float scale) {
  // Rows of queries before the tile see nothing of it.
  const std::int64_t before = tile.begin - first_position;
  int row = before > 0 ? static_cast<int>(before) * group : 0;
  while (row < rows) {
    const int left = rows - row;
    int visible[6];
    for (int r = 0; r < 6; ++r) {
      const std::int64_t seen = first_position + (row + r) / group + 1 - tile.begin;
      visible[r] = seen < tile.keys ? static_cast<int>(seen) : tile.keys;
    }
    if (left >= 6) {
      Isa::template do_rows<6>(s, row, k, v, tile.keys, head_dim, scale, visible);
      row += 6;
      continue;
    }
    switch (left) {
      case 1:
        Isa::template do_rows<1>(s, row, k, v, tile.keys, head_dim, scale, visible);
        break;
      case 2:
        Isa::template do_rows<2>(s, row, k, v, tile.keys, head_dim, scale, visible);
        break;
      case 3:
        Isa::template do_rows<3>(s, row, k, v, tile.keys, head_dim, scale, visible);
        break;
      case 4:
        Isa::template do_rows<4>(s, row, k, v, tile.keys, head_dim, scale, visible);
        break;
      default:
        Isa::template do_rows<5>(s, row, k, v, tile.keys, head_dim, scale, visible);
        break;
    }
    row = rows;
  }
}

// The f16 rows of a tile, which lie in the page or, quantized there, are put in `scratch`.
template <class Isa>
[[gnu::always_inline]] inline const std::uint16_t* half_rows(KvType type, const void* rows, std::int64_t first, std::int64_t keys, int head_dim,
                                                             std::uint16_t* scratch) {
  const void* at = static_cast<const std::uint8_t*>(rows) + first * kv_row_bytes(type, head_dim);
  if (type == KvType::f16) return static_cast<const std::uint16_t*>(at);
  Isa::dequantize(type, static_cast<const std::uint8_t*>(at), keys * head_dim, scratch);
  return scratch;
}

// Rows of a block between two calls of one walk: maximum, total, sums.
struct Carry {
  const AttentionArgs& args;
  int kv_head;
  std::int64_t begin;  // the block's first query
  float* at(int row) const {
    const int group = args.heads / args.kv_heads;
    const std::int64_t index = (begin + row / group) * args.heads + kv_head * group + row % group;
    return reinterpret_cast<float*>(static_cast<char*>(args.carry) + index * static_cast<std::int64_t>(attention_carry_bytes(args.head_dim)));
  }
  void load(const Scratch& s, int rows) const {
    for (int row = 0; row < rows; ++row) {
      const float* from = at(row);
      s.maximum[row] = from[0];
      s.total[row] = from[1];
      std::memcpy(s.sums + row * args.head_dim, from + 2, static_cast<std::size_t>(args.head_dim) * sizeof(float));
    }
  }
  void store(const Scratch& s, int rows) const {
    for (int row = 0; row < rows; ++row) {
      float* to = at(row);
      to[0] = s.maximum[row];
      to[1] = s.total[row];
      std::memcpy(to + 2, s.sums + row * args.head_dim, static_cast<std::size_t>(args.head_dim) * sizeof(float));
    }
  }
};

// Queries [begin, end) of all heads of one kv head.
template <class Isa>
void do_block(const AttentionArgs& args, int kv_head, const Scratch& s, std::int64_t begin, std::int64_t end) {
  const int group = args.heads / args.kv_heads, head_dim = args.head_dim;
  const int rows = static_cast<int>(end - begin) * group;
  for (int row = 0; row < rows; ++row) {
    s.q[row] = args.q + (begin + row / group) * args.q_stride + static_cast<std::int64_t>(kv_head * group + row % group) * head_dim;
    s.maximum[row] = -__builtin_inff();
    s.total[row] = 0;
  }
  const Carry carry{args, kv_head, begin};
  if (args.key_begin > 0)
    carry.load(s, rows);
  else
    Isa::clear(s.sums, static_cast<std::int64_t>(rows) * head_dim);
  const std::int64_t visible = args.first_position + end < args.key_end ? args.first_position + end : args.key_end;
  for (std::int64_t page = args.key_begin / args.page_tokens; page * args.page_tokens < visible; ++page) {
    for (std::int64_t offset = 0; offset < args.page_tokens; offset += kTile) {
      const std::int64_t position = page * args.page_tokens + offset;
      if (position >= visible) break;
      std::int64_t keys = args.page_tokens - offset < kTile ? args.page_tokens - offset : kTile;
      if (visible - position < keys) keys = visible - position;
      const Tile tile{position, static_cast<int>(keys)};
      const std::int64_t first = kv_head * args.page_tokens + offset;
      const std::uint16_t* k = half_rows<Isa>(args.k_type, args.blocks[page].k, first, keys, head_dim, s.k_rows);
      const std::uint16_t* v = half_rows<Isa>(args.v_type, args.blocks[page].v, first, keys, head_dim, s.v_rows);
      Isa::transpose_keys(k, tile.keys, head_dim, s.k16);
      if (rows < kWidenFrom) {
        do_tile<Isa>(s, tile, s.k16, v, group, rows, args.first_position + begin, head_dim, args.scale);
      } else {
        Isa::widen(s.k16, s.k32, static_cast<std::int64_t>(head_dim) * kTile);
        Isa::widen(v, s.v32, keys * head_dim);
        do_tile<Isa>(s, tile, s.k32, s.v32, group, rows, args.first_position + begin, head_dim, args.scale);
      }
    }
  }
  if (args.key_end < args.first_position + args.queries) return carry.store(s, rows);
  for (int row = 0; row < rows; ++row) {
    float* out = args.out + (begin + row / group) * args.out_stride + static_cast<std::int64_t>(kv_head * group + row % group) * head_dim;
    Isa::scale(s.sums + row * head_dim, 1.0f / s.total[row], out, head_dim);
  }
}

template <class Isa>
void attend(const AttentionArgs& args, int kv_head_begin, int kv_head_end) {
  if (args.head_dim % 16 != 0) return reference_attention(args, kv_head_begin, kv_head_end);
  const int group = args.heads / args.kv_heads, step = block_queries(group);
  Scratch scratch;
  layout(args.scratch, group, args.head_dim, &scratch);
  for (int kv_head = kv_head_begin; kv_head < kv_head_end; ++kv_head)
    for (std::int64_t begin = 0; begin < args.queries; begin += step)
      do_block<Isa>(args, kv_head, scratch, begin, begin + step < args.queries ? begin + step : args.queries);
}

}  // namespace
}  // namespace codicil::kernels
