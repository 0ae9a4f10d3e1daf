// The walk of attention over pages, the same for every instruction set: blocks of query rows x pages of up to 256 keys.
//
// A "row" is one query head of one query: all heads that share a kv head are rows of one block, so that a page is read once for all of them, and
// widened to f32 once where they are many. Of every page a row has a softmax of its own (maximum, total, sums), which is then joined to that of
// the pages before. So pages may be done by several threads and joined later, in order (attention_merge), to the same bits.
//
// Owns: the scratch layout, the order of blocks, pages and rows, the carry between calls. Leaves arithmetic to `Isa`, a struct of static functions
// in the including file: widen_keys, widen_values, do_rows<R>, join, clear, scale.
// Rules that must stay true: a row's arithmetic depends only on its position; keys that a row may not see get weight 0 exactly, and the order of
// additions does not depend on how many rows are done together. Everything here has internal linkage: the including files are compiled for
// different instruction sets, and a function that the linker merged could run instructions that the machine lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/kernels.h"
#include "kernels/reference/formats.h"

namespace codicil::kernels {
namespace {

constexpr int kMaxRows = 192;  // rows per block, 64 queries of 3 heads: the widening of a page is below 2 % of the work
constexpr int kWidenFrom = 8;  // fewer rows read f16 pages directly
// As few as one call of do_rows takes read others by parts of some keys, which stay in the first-level cache when they are widened: with avx512
// decode is 1.3 to 1.5 times as fast as with whole pages (SPEED.md). Seven rows are two calls, and would widen every part twice.
constexpr int kWidenPagesFrom = 7;
constexpr int kMostTogether = 12;
constexpr int kMostHeadDim = 256;  // wider heads go to the reference; rows of a constant stride need no register each

struct Scratch {
  float* k32;       // [16 groups][head_dim][16 keys]
  float* v32;       // [256, head_dim]
  float* sums;      // [rows, head_dim]
  float* maximum;   // [rows]
  float* total;     // [rows]
  const float** q;  // [rows]
};

[[maybe_unused]] int block_queries(int group) { return group >= kMaxRows ? 1 : kMaxRows / group; }

[[maybe_unused]] std::size_t layout(void* base, int group, int head_dim, Scratch* out) {
  const std::size_t rows = static_cast<std::size_t>(block_queries(group) * group), dims = static_cast<std::size_t>(head_dim);
  std::size_t at = 0;
  const auto take = [&](std::size_t bytes) {
    const std::size_t here = at;
    at += (bytes + 63) / 64 * 64;
    return static_cast<char*>(base) + (base ? here : 0);
  };
  Scratch s;
  s.k32 = reinterpret_cast<float*>(take(dims * kKvPageTokens * 4));
  s.v32 = reinterpret_cast<float*>(take(dims * kKvPageTokens * 4));
  s.sums = reinterpret_cast<float*>(take(rows * dims * 4));
  s.maximum = reinterpret_cast<float*>(take(rows * 4));
  s.total = reinterpret_cast<float*>(take(rows * 4));
  s.q = reinterpret_cast<const float**>(take(rows * sizeof(float*)));
  if (out) *out = s;
  return at;
}

// Queries [begin, end) of all heads of one kv head.
struct Block {
  const AttentionArgs& args;
  const Scratch& s;
  int kv_head;
  std::int64_t begin, end;
  int group() const { return args.heads / args.kv_heads; }
  int rows() const { return static_cast<int>(end - begin) * group(); }
  std::int64_t position(int row) const { return args.first_position + begin + row / group(); }
  // Of arrays [queries, heads] of attention_carry_bytes(): maximum, total, sums of a row.
  float* state(void* states, int row) const {
    const std::int64_t index = (begin + row / group()) * args.heads + kv_head * group() + row % group();
    return reinterpret_cast<float*>(static_cast<char*>(states) + index * static_cast<std::int64_t>(attention_carry_bytes(args.head_dim)));
  }
  const float* key_mean(std::int64_t of_position) const {
    return args.key_means ? args.key_means + of_position / args.page_tokens * args.key_means_stride + kv_head * args.head_dim : nullptr;
  }
  // Those of the page at `position` alone.
  float* page_state(std::int64_t of_position, int row) const {
    const std::int64_t page = (of_position - args.key_begin) / args.page_tokens;
    const std::int64_t bytes = args.queries * args.heads * static_cast<std::int64_t>(attention_carry_bytes(args.head_dim));
    return state(static_cast<char*>(args.page_states) + page * bytes, row);
  }
};

// A page's keys (groups of [head_dim][16 keys]) or values ([keys, head_dim]), given out by parts of kPart keys.
template <class T>
struct Plain {
  static constexpr int kPart = kKvPageTokens;
  const T* page;
  int head_dim;
  const T* part(int first, int) const { return page + static_cast<std::int64_t>(first) * head_dim; }
};
template <class Isa, bool kKeys>
struct Widened {
  static constexpr int kPart = 64;
  const std::uint8_t* page;
  int head_dim;
  KvType type;
  float* room;  // [kPart, head_dim]
  const float* part(int first, int keys) const {
    const std::uint8_t* from = page + first * kv_row_bytes(type, head_dim);
    if constexpr (kKeys)
      Isa::widen_keys(type, from, keys, head_dim, room);
    else
      Isa::widen_values(type, from, static_cast<std::int64_t>(keys) * head_dim, room);
    return room;
  }
};

// What a call of do_rows works on: `rows` rows from `row` on, all of which see something of the page.
template <class K, class V>
struct PageRows {
  const Block& block;
  int row;
  K k;
  V v;
  std::int64_t position;       // of the page's first key
  const float* mean;           // [head_dim] that belongs to every key of the page: it moves all of a row's scores by one number; null: nothing
  int keys;                    // keys that the last of the rows may see
  int visible[kMostTogether];  // keys that each may see
};

template <class Isa, class K, class V>
void do_page(const Block& block, std::int64_t position, int keys, const K& k, const V& v) {
  const int group = block.group(), rows = block.rows();
  // Rows of queries before the page see nothing of it.
  const std::int64_t before = position - block.position(0);
  int row = before > 0 ? static_cast<int>(before) * group : 0;
  while (row < rows) {
    const int left = rows - row, count = left >= Isa::kRowsTogether ? Isa::kRowsTogether : left >= 6 ? 6 : left;
    PageRows<K, V> part{block, row, k, v, position, block.key_mean(position), 0, {}};
    for (int r = 0; r < count; ++r) {
      const std::int64_t seen = block.position(row + r) + 1 - position;
      part.visible[r] = seen < keys ? static_cast<int>(seen) : keys;
    }
    part.keys = part.visible[count - 1];
    switch (count) {
      case 1:
        Isa::template do_rows<1>(part);
        break;
      case 2:
        Isa::template do_rows<2>(part);
        break;
      case 3:
        Isa::template do_rows<3>(part);
        break;
      case 4:
        Isa::template do_rows<4>(part);
        break;
      case 5:
        Isa::template do_rows<5>(part);
        break;
      case 6:
        Isa::template do_rows<6>(part);
        break;
      default:
        Isa::template do_rows<Isa::kRowsTogether>(part);
        break;
    }
    row += count;
  }
}

template <class Isa>
void walk_pages(const Block& block, std::int64_t visible) {
  const AttentionArgs& args = block.args;
  const Scratch& s = block.s;
  const std::int64_t k_bytes = kv_row_bytes(args.k_type, args.head_dim), v_bytes = kv_row_bytes(args.v_type, args.head_dim);
  const bool halves = args.k_type == KvType::f16 && args.v_type == KvType::f16;
  for (std::int64_t position = args.key_begin; position < visible; position += args.page_tokens) {
    const int keys = static_cast<int>(visible - position < args.page_tokens ? visible - position : args.page_tokens);
    const KvBlock& page = args.blocks[position / args.page_tokens];
    const auto* k = static_cast<const std::uint8_t*>(page.k) + block.kv_head * args.page_tokens * k_bytes;
    const auto* v = static_cast<const std::uint8_t*>(page.v) + block.kv_head * args.page_tokens * v_bytes;
    const int dims = args.head_dim;
    if (block.rows() >= (halves ? kWidenFrom : kWidenPagesFrom)) {
      Isa::widen_keys(args.k_type, k, keys, dims, s.k32);
      Isa::widen_values(args.v_type, v, static_cast<std::int64_t>(keys) * dims, s.v32);
      do_page<Isa>(block, position, keys, Plain<float>{s.k32, dims}, Plain<float>{s.v32, dims});
    } else if (halves) {
      using Half = Plain<std::uint16_t>;
      do_page<Isa>(block, position, keys, Half{reinterpret_cast<const std::uint16_t*>(k), dims},
                   Half{reinterpret_cast<const std::uint16_t*>(v), dims});
    } else {
      do_page<Isa>(block, position, keys, Widened<Isa, true>{k, dims, args.k_type, s.k32}, Widened<Isa, false>{v, dims, args.v_type, s.v32});
    }
  }
}

// Before the first key, or as an earlier call left it.
template <class Isa>
void begin_rows(const Block& block) {
  const AttentionArgs& args = block.args;
  const Scratch& s = block.s;
  const int rows = block.rows();
  for (int row = 0; row < rows; ++row) {
    s.maximum[row] = -__builtin_inff();
    s.total[row] = 0;
    if (args.key_begin == 0) continue;
    const float* from = block.state(args.carry, row);
    s.maximum[row] = from[0], s.total[row] = from[1];
    std::memcpy(s.sums + row * args.head_dim, from + 2, static_cast<std::size_t>(args.head_dim) * sizeof(float));
  }
  if (args.key_begin == 0) Isa::clear(s.sums, static_cast<std::int64_t>(rows) * args.head_dim);
}

template <class Isa>
void end_rows(const Block& block) {
  const AttentionArgs& args = block.args;
  const Scratch& s = block.s;
  const int group = block.group(), rows = block.rows(), head_dim = args.head_dim;
  const bool is_last = args.key_end >= args.first_position + args.queries;
  for (int row = 0; row < rows; ++row) {
    if (is_last) {
      float* out =
          args.out + (block.begin + row / group) * args.out_stride + static_cast<std::int64_t>(block.kv_head * group + row % group) * head_dim;
      Isa::scale(s.sums + row * head_dim, 1.0f / s.total[row], out, head_dim);
      continue;
    }
    float* to = block.state(args.carry, row);
    to[0] = s.maximum[row], to[1] = s.total[row];
    std::memcpy(to + 2, s.sums + row * head_dim, static_cast<std::size_t>(head_dim) * sizeof(float));
  }
}

// Joins what walks with `page_states` left.
template <class Isa>
void join_pages(const Block& block, std::int64_t visible) {
  const AttentionArgs& args = block.args;
  for (int row = 0; row < block.rows(); ++row)
    for (std::int64_t position = args.key_begin; position < visible && position <= block.position(row); position += args.page_tokens) {
      const float* part = block.page_state(position, row);
      Isa::join(block.s, row, part[0], part[1], part + 2, args.head_dim);
    }
}

template <class Isa>
void each_block(const AttentionArgs& args, int kv_head_begin, int kv_head_end, bool merge) {
  const int group = args.heads / args.kv_heads, step = block_queries(group);
  Scratch scratch;
  layout(args.scratch, group, args.head_dim, &scratch);
  for (int kv_head = kv_head_begin; kv_head < kv_head_end; ++kv_head)
    for (std::int64_t begin = 0; begin < args.queries; begin += step) {
      const Block block{args, scratch, kv_head, begin, begin + step < args.queries ? begin + step : args.queries};
      const std::int64_t visible = args.first_position + block.end < args.key_end ? args.first_position + block.end : args.key_end;
      if (merge || args.page_states == nullptr) begin_rows<Isa>(block);
      if (!merge)
        for (int row = 0; row < block.rows(); ++row)
          scratch.q[row] = args.q + (begin + row / group) * args.q_stride + static_cast<std::int64_t>(kv_head * group + row % group) * args.head_dim;
      merge ? join_pages<Isa>(block, visible) : walk_pages<Isa>(block, visible);
      if (merge || args.page_states == nullptr) end_rows<Isa>(block);
    }
}

template <class Isa>
void attend(const AttentionArgs& args, int kv_head_begin, int kv_head_end) {
  if (args.head_dim % 16 != 0 || args.head_dim > kMostHeadDim) return reference_attention(args, kv_head_begin, kv_head_end);
  each_block<Isa>(args, kv_head_begin, kv_head_end, false);
}

template <class Isa>
void merge(const AttentionArgs& args, int kv_head_begin, int kv_head_end) {
  if (args.head_dim % 16 != 0 || args.head_dim > kMostHeadDim) return reference_attention_merge(args, kv_head_begin, kv_head_end);
  each_block<Isa>(args, kv_head_begin, kv_head_end, true);
}

}  // namespace
}  // namespace codicil::kernels
