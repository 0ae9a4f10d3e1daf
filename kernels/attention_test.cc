// Keys and values of every format, and attention over their pages, at the shapes where vector code goes wrong.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/reference/formats.h"
#include "kernels/test_checks.h"

namespace codicil::kernels {
namespace {

constexpr KvType kKvTypes[] = {KvType::f16, KvType::q8_0, KvType::q4, KvType::nf4, KvType::q5};
const char* name_of(KvType type) {
  constexpr const char* kNames[] = {"f16", "q8_0", "q4", "nf4", "q5"};
  return kNames[static_cast<int>(type)];
}

// Rows of keys and values: the same bytes in every table, and numbers that are near those that were stored.
void test_kv_rows(const Ops& ops) {
  for (KvType type : kKvTypes) {
    for (std::int64_t n : {32, 64, 96, 128, 256}) {
      const auto size = static_cast<std::size_t>(kv_row_bytes(type, n));
      for (float range : {0.0f, 1e-9f, 1e-6f, 1.0f, 900.0f}) {
        auto x = uniform_vector(n, -range, range);
        if (range > 1) x[5] = 6e4f, x[7] = -6e4f;
        std::vector<std::uint8_t> want(size + 1, 0xee), got(size + 1, 0xee);
        reference().store_kv(type, x.data(), want.data(), n);
        ops.store_kv(type, x.data(), got.data(), n);
        const std::string at = std::string(ops.name) + " store_kv " + name_of(type) + " n " + std::to_string(n) + " range " + std::to_string(range);
        check(want == got && got[size] == 0xee, at + " writes the reference's bytes");
        // Half a step of the block's grid (the widest of nf4's; of q4 and q5 the largest number may be cut: their scale is the best for all 32);
        // below the smallest f16 scale everything is 0.
        bool near = true;
        for (std::int64_t i = 0; i < n; ++i) {
          double largest = 0;
          for (std::int64_t j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            largest = std::fmax(largest, std::fabs(static_cast<double>(x[static_cast<std::size_t>(j)])));
          const double step = type == KvType::f16 ? 0
                                                  : largest * (type == KvType::q8_0 ? 0.5 / 127
                                                               : type == KvType::q4 ? 0.25
                                                               : type == KvType::q5 ? 0.2
                                                                                    : 0.1525);
          const double value = x[static_cast<std::size_t>(i)];
          near &= std::fabs(kv_value(type, got.data(), i) - value) <= step * 1.01 + std::fabs(value) / 1024 + (range < 1e-3f ? 2e-6 : 1e-7);
        }
        check(near, at + " keeps every number within half a step");
      }
    }
  }
  // A key among the 16 of its group: the row's numbers, and no byte of the others.
  for (KvType type : kKvTypes)
    for (std::int64_t n : {32, 64, 96, 256})
      for (int slot : {0, 7, 15}) {
        const auto x = uniform_vector(n, -3, 3);
        const auto size = static_cast<std::size_t>(kv_row_bytes(type, n));
        std::vector<std::uint8_t> row(size), want(size * kKvGroup, 0xee), got(size * kKvGroup + 1, 0xee);
        reference().store_kv(type, x.data(), row.data(), n);
        reference().store_key(type, x.data(), want.data(), slot, n);
        ops.store_key(type, x.data(), got.data(), slot, n);
        bool same = true;
        for (std::int64_t i = 0; i < n; ++i) same &= kv_key(type, got.data(), slot, i) == kv_value(type, row.data(), i);
        const auto untouched = std::count(got.begin(), got.end(), 0xee);
        const std::string at = std::string(ops.name) + " store_key " + name_of(type) + " n " + std::to_string(n) + " slot " + std::to_string(slot);
        check(std::equal(want.begin(), want.end(), got.begin()) && got.back() == 0xee, at + " writes the reference's bytes");
        check(same && untouched >= static_cast<std::ptrdiff_t>(size * (kKvGroup - 1) + 1), at + " is the row, and leaves the other keys alone");
      }
  for (std::int64_t n : {64, 128, 320}) {
    const auto x = uniform_vector(n, -3, 3), y = uniform_vector(n, -3, 3);
    auto want = x, got = x, other = y;
    reference().hadamard(want.data(), n);
    ops.hadamard(got.data(), n);
    ops.hadamard(other.data(), n);
    check(same_bits(got.data(), want.data(), got.size()), std::string(ops.name) + " hadamard equals the reference bit for bit");
    double before = 0, after = 0;
    for (std::size_t i = 0; i < x.size(); ++i) before += static_cast<double>(x[i]) * y[i], after += static_cast<double>(got[i]) * other[i];
    check(std::fabs(before - after) < 1e-4, std::string(ops.name) + " hadamard keeps products");
    ops.hadamard(got.data(), n);
    check(close(got.data(), x.data(), x.size(), 0, 2e-6), std::string(ops.name) + " hadamard is its own inverse");
  }
}

// The squared error of every format, as a share of the numbers' mean square. Bounds: what Lloyd's algorithm reached (kernels.h) and 5 % for another
// sample; of q8_0 a twelfth of the squared step, the mean square of the largest of 32 being 5.6; of f16 half a unit of 11 bits. Rows with one number 30
// times as large as the others keep them once rotated, for it is spread over all 64; the same rows as they are show why the rotation is there.
void test_kv_errors(const Ops& ops) {
  constexpr int kDim = 64, kRows = 1500;
  const auto share = [&](KvType type, bool outlier, bool rotated) {
    std::mt19937 bits(7);
    std::normal_distribution<float> normal;
    std::vector<std::uint8_t> row(static_cast<std::size_t>(kv_row_bytes(type, kDim)));
    double error = 0, square = 0;
    for (int r = 0; r < kRows; ++r) {
      float x[kDim], y[kDim];
      for (float& value : x) value = normal(bits);
      if (outlier) x[r % kDim] = 30;
      std::copy_n(x, kDim, y);
      if (rotated) ops.hadamard(y, kDim);
      ops.store_kv(type, y, row.data(), kDim);
      for (int i = 0; i < kDim; ++i) y[i] = kv_value(type, row.data(), i);
      if (rotated) ops.hadamard(y, kDim);
      for (int i = 0; i < kDim; ++i) {
        if (outlier && i == r % kDim) continue;
        error += (static_cast<double>(x[i]) - y[i]) * (static_cast<double>(x[i]) - y[i]);
        square += outlier ? (63 + 900) / 64.0 : static_cast<double>(x[i]) * x[i];
      }
    }
    return error / square;
  };
  constexpr double kBounds[] = {1.0 / (1 << 22), 3.1e-5, 0.0059, 0.0080, 0.00142};  // by KvType
  for (const KvType type : kKvTypes) {
    const double bound = kBounds[static_cast<int>(type)], plain = share(type, false, false), outlier = share(type, true, true);
    const std::string at = std::string(ops.name) + " " + name_of(type);
    check(plain > 0 && plain < bound, at + " keeps normal numbers within its bound: " + std::to_string(plain * 1e6) + "e-6");
    check(outlier > 0 && outlier < bound, at + " keeps what stands beside an outlier within its bound: " + std::to_string(outlier * 1e6) + "e-6");
    if (type != KvType::f16) check(share(type, true, false) > 1.5 * outlier, at + " needs the rotation for it");
  }
}

struct AttentionCase {
  int heads, kv_heads, head_dim;
  std::int64_t page_tokens, queries, first_position;
  KvType k_type = KvType::f16, v_type = KvType::f16;
  bool means = false;  // keys lie without the mean of their page
};

// Pages of random keys and values; what lies beyond the last token is NaN and must not be read into any result.
struct Pages {
  Pages(const AttentionCase& c, float range) {
    const std::int64_t tokens = c.first_position + c.queries, pages = (tokens + c.page_tokens - 1) / c.page_tokens;
    const std::int64_t k_row = kv_row_bytes(c.k_type, c.head_dim), v_row = kv_row_bytes(c.v_type, c.head_dim);
    const std::int64_t rows = c.kv_heads * c.page_tokens, page_bytes = rows * (k_row + v_row);
    bytes.resize(static_cast<std::size_t>(pages * page_bytes));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = i % 2 ? 0x7f : 0xff;
    for (std::int64_t page = 0; page < pages; ++page)
      blocks.push_back({bytes.data() + page * page_bytes, bytes.data() + page * page_bytes + rows * k_row});
    if (c.means) means = uniform_vector(pages * means_stride(c), -range, range);
    for (std::int64_t position = 0; position < tokens; ++position)
      for (std::int64_t h = 0; h < c.kv_heads; ++h) {
        const std::int64_t row = h * c.page_tokens + position % c.page_tokens;
        std::uint8_t* page = bytes.data() + position / c.page_tokens * page_bytes;
        const auto k = uniform_vector(c.head_dim, -range, range), v = uniform_vector(c.head_dim, -2, 2);
        const std::int64_t slot = row % kKvGroup;
        reference().store_key(c.k_type, k.data(), page + (row - slot) * k_row, static_cast<int>(slot), c.head_dim);
        reference().store_kv(c.v_type, v.data(), page + rows * k_row + row * v_row, c.head_dim);
      }
  }
  std::vector<std::uint8_t> bytes;
  static std::int64_t means_stride(const AttentionCase& c) { return c.kv_heads * c.head_dim + 3; }
  std::vector<KvBlock> blocks;
  std::vector<float> means;
};

// How a walk is cut: by head, or into calls of `span_pages` pages, where a page is there only while its call runs; joined as they go, or at the end.
enum class Cut { none, heads, carried, merged };

std::vector<float> attend(const Ops& ops, const AttentionCase& c, const Pages& pages, const std::vector<float>& q, std::int64_t stride, Cut cut,
                          std::int64_t span_pages = 0) {
  Buffer<std::uint8_t> scratch(ops.attention_scratch_bytes(c.heads, c.kv_heads, c.head_dim, c.page_tokens));
  std::vector<float> out(static_cast<std::size_t>(c.queries * stride), -77.0f);
  AttentionArgs args;
  args.q = q.data();
  args.q_stride = args.out_stride = stride;
  args.out = out.data();
  args.blocks = pages.blocks.data();
  args.k_type = c.k_type;
  args.v_type = c.v_type;
  if (c.means) args.key_means = pages.means.data(), args.key_means_stride = Pages::means_stride(c);
  args.page_tokens = c.page_tokens;
  args.queries = c.queries;
  args.first_position = c.first_position;
  args.heads = c.heads;
  args.kv_heads = c.kv_heads;
  args.head_dim = c.head_dim;
  args.scale = 1.0f / std::sqrt(static_cast<float>(c.head_dim));
  args.scratch = scratch.data;
  if (cut == Cut::carried || cut == Cut::merged) {
    Buffer<std::uint8_t> carry(static_cast<std::size_t>(c.queries * c.heads) * attention_carry_bytes(c.head_dim));
    args.carry = carry.data;
    const auto count = static_cast<std::int64_t>(pages.blocks.size());
    const std::size_t state_bytes = static_cast<std::size_t>(c.queries * c.heads) * attention_carry_bytes(c.head_dim);
    Buffer<std::uint8_t> states(state_bytes * static_cast<std::size_t>(count));
    for (std::int64_t page = 0; page < count; page += span_pages) {
      std::vector<KvBlock> present(pages.blocks.size());
      for (std::int64_t p = page; p < std::min(page + span_pages, count); ++p)
        present[static_cast<std::size_t>(p)] = pages.blocks[static_cast<std::size_t>(p)];
      args.blocks = present.data();
      args.key_begin = page * c.page_tokens;
      args.key_end = (page + span_pages) * c.page_tokens;
      args.page_states = cut == Cut::merged ? states.data + state_bytes * static_cast<std::size_t>(page) : nullptr;
      ops.attention(args, 0, c.kv_heads);
    }
    if (cut == Cut::merged) {
      args.blocks = nullptr;
      args.key_begin = 0, args.key_end = INT64_MAX;
      args.page_states = states.data;
      for (int h = 0; h < c.kv_heads; ++h) ops.attention_merge(args, h, h + 1);
    }
  } else if (cut == Cut::heads) {
    for (int h = c.kv_heads - 1; h >= 0; --h) ops.attention(args, h, h + 1);
  } else {
    ops.attention(args, 0, c.kv_heads);
  }
  return out;
}

void test_attention(const Ops& ops) {
  std::vector<AttentionCase> cases = {
      {9, 3, 64, 64, 1, 0},     {9, 3, 64, 64, 7, 0},     {9, 3, 64, 64, 1, 63},    {9, 3, 64, 64, 1, 64},     {9, 3, 64, 64, 3, 63},
      {9, 3, 64, 256, 130, 0},  {9, 3, 64, 256, 70, 190}, {9, 3, 64, 256, 1, 2399}, {9, 3, 64, 256, 33, 1000}, {4, 4, 128, 64, 5, 100},
      {14, 2, 64, 64, 20, 50},  {8, 1, 256, 32, 9, 40},   {4, 2, 80, 48, 11, 90},   {2, 1, 16, 16, 40, 5},     {2, 2, 24, 64, 6, 70},
      {6, 2, 96, 112, 17, 250}, {16, 2, 128, 64, 2, 500}, {5, 1, 64, 64, 1, 129},   {4, 1, 32, 64, 1, 10},     {100, 1, 16, 64, 2, 70},
  };
  // Pages of every format: heads with and without a rotation, first, last and next page, part of a tile, one query and many.
  for (const auto& [k, v] : {std::pair{KvType::q8_0, KvType::q8_0},
                             {KvType::q8_0, KvType::q5},
                             {KvType::q8_0, KvType::q4},
                             {KvType::q4, KvType::q4},
                             {KvType::nf4, KvType::nf4},
                             {KvType::q5, KvType::q5}})
    for (const AttentionCase& c : {AttentionCase{3, 1, 64, 256, 1, 0},
                                   {9, 3, 64, 256, 1, 255},
                                   {9, 3, 64, 256, 1, 256},
                                   {6, 2, 64, 64, 40, 50},
                                   {3, 1, 64, 256, 1, 700},
                                   {6, 2, 96, 64, 17, 70},
                                   {4, 1, 128, 256, 5, 300},
                                   {8, 1, 256, 64, 2, 130}}) {
      cases.push_back(c);
      cases.back().k_type = k, cases.back().v_type = v;
    }
  for (AttentionCase c : {AttentionCase{14, 2, 64, 256, 1, 700, KvType::q8_0, KvType::q5},
                          {14, 2, 64, 64, 40, 150, KvType::q8_0, KvType::q4},
                          {6, 2, 96, 64, 17, 70, KvType::q4, KvType::q4},
                          {9, 3, 64, 256, 2, 600},
                          {2, 2, 24, 64, 6, 70}}) {
    c.means = true;
    cases.push_back(c);
  }
  for (const AttentionCase& c : cases) {
    for (float range : {1.0f, 12.0f}) {  // flat and very peaked weights
      const Pages pages(c, range);
      const std::int64_t stride = c.heads * c.head_dim + 5;
      const auto q = uniform_vector(c.queries * stride, -range, range);
      const std::string at = std::string(ops.name) + " attention heads " + std::to_string(c.heads) + "/" + std::to_string(c.kv_heads) + " dim " +
                             std::to_string(c.head_dim) + " page " + std::to_string(c.page_tokens) + " queries " + std::to_string(c.queries) +
                             " from " + std::to_string(c.first_position) + " range " + std::to_string(range) + " " + name_of(c.k_type) + "/" +
                             name_of(c.v_type) + (c.means ? " with means of keys" : "");
      const auto want = attend(reference(), c, pages, q, stride, Cut::none);
      const auto got = attend(ops, c, pages, q, stride, Cut::none);
      // f32 scores of up to 12 * 12 * sqrt(dim) carry an absolute error near 1e-5 * size, which the exponential passes on.
      check(close(got.data(), want.data(), got.size(), 1e-5, range > 1 ? 3e-3 : 2e-5), at);
      check(same_bits(attend(ops, c, pages, q, stride, Cut::heads).data(), got.data(), got.size()), at + " is the same head by head");
      for (const std::int64_t span : {1, 3}) {
        check(same_bits(attend(ops, c, pages, q, stride, Cut::carried, span).data(), got.data(), got.size()),
              at + " is the same in calls of " + std::to_string(span) + " pages");
        check(same_bits(attend(ops, c, pages, q, stride, Cut::merged, span).data(), got.data(), got.size()),
              at + " is the same joined from calls of " + std::to_string(span) + " pages");
      }
      if (c.queries == 1) continue;
      bool same = true;
      for (std::int64_t i = 0; i < c.queries; ++i) {
        AttentionCase one = c;
        one.queries = 1;
        one.first_position += i;
        const std::vector<float> row(q.begin() + i * stride, q.begin() + (i + 1) * stride);
        const auto alone = attend(ops, one, pages, row, stride, Cut::none);
        same &= same_bits(alone.data(), got.data() + i * stride, static_cast<std::size_t>(c.heads * c.head_dim));
      }
      check(same, at + " is the same query by query");
    }
  }
}

void test_table(const Ops& ops) {
  test_kv_rows(ops);
  test_kv_errors(ops);
  test_attention(ops);
}

}  // namespace
}  // namespace codicil::kernels

int main() { return codicil::kernels::test_tables(codicil::kernels::test_table); }
