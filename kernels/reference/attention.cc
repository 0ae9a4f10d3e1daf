// What attention means: for every query head, softmax(scale * q k) v over the positions that the query may see.
//
// Every page has a softmax of its own, joined in order to that of the pages before, so that the walk over the keys can stop and go on
// (AttentionArgs::carry) and pages can be shared between threads (page_states).
// Scores and sums are accumulated in f64 here, so that a fast table is compared with the truth and not with another rounding.
#include <cmath>

#include "kernels/reference/formats.h"

namespace codicil::kernels {
namespace {

// One query head of one query. No memory is allocated here, so scores are computed again for every slice of 64 output dimensions.
struct Row {
  const AttentionArgs& args;
  int head;
  std::int64_t query;

  int kv_head() const { return head / (args.heads / args.kv_heads); }
  std::int64_t visible() const { return args.first_position + query + 1; }
  float* out() const { return args.out + query * args.out_stride + static_cast<std::int64_t>(head) * args.head_dim; }
  double score(std::int64_t position) const {
    const float* q = args.q + query * args.q_stride + static_cast<std::int64_t>(head) * args.head_dim;
    const auto slot = static_cast<int>(position % args.page_tokens % kKvGroup);
    const std::int64_t first = kv_head() * args.page_tokens + position % args.page_tokens - slot;
    const void* group =
        static_cast<const std::uint8_t*>(args.blocks[position / args.page_tokens].k) + first * kv_row_bytes(args.k_type, args.head_dim);
    const float* mean = args.key_means ? args.key_means + position / args.page_tokens * args.key_means_stride + kv_head() * args.head_dim : nullptr;
    double sum = 0;
    for (int d = 0; d < args.head_dim; ++d) {
      const double key = kv_key(args.k_type, group, slot, d);
      sum += static_cast<double>(q[d]) * (mean ? key + mean[d] : key);
    }
    return sum * args.scale;
  }
  float value(std::int64_t position, int d) const {
    const std::int64_t row = kv_head() * args.page_tokens + position % args.page_tokens;
    const void* rows = args.blocks[position / args.page_tokens].v;
    return kv_value(args.v_type, static_cast<const std::uint8_t*>(rows) + row * kv_row_bytes(args.v_type, args.head_dim), d);
  }
  // [maximum, total, sums]
  double* state(void* states) const {
    return static_cast<double*>(states) + (query * args.heads + head) * static_cast<std::int64_t>(attention_carry_bytes(args.head_dim) / 8);
  }
  double* page_state(std::int64_t position) const {
    const std::int64_t page = (position - args.key_begin) / args.page_tokens;
    const auto bytes = static_cast<std::int64_t>(attention_carry_bytes(args.head_dim));
    return state(static_cast<char*>(args.page_states) + page * args.queries * args.heads * bytes);
  }
};

// A softmax and its weighted values, of up to 64 output dimensions.
struct Softmax {
  double maximum = -HUGE_VAL, total = 0;
  double sum[64] = {};

  static Softmax of_page(const Row& row, std::int64_t begin, std::int64_t end, int first, int width) {
    Softmax page;
    for (std::int64_t p = begin; p < end; ++p) page.maximum = std::fmax(page.maximum, row.score(p));
    for (std::int64_t p = begin; p < end; ++p) {
      const double weight = std::exp(row.score(p) - page.maximum);
      page.total += weight;
      for (int d = 0; d < width; ++d) page.sum[d] += weight * row.value(p, first + d);
    }
    return page;
  }
  void load(const double* state, int first, int width) {
    maximum = state[0], total = state[1];
    for (int d = 0; d < width; ++d) sum[d] = state[2 + first + d];
  }
  void store(double* state, int first, int width) const {
    state[0] = maximum, state[1] = total;
    for (int d = 0; d < width; ++d) state[2 + first + d] = sum[d];
  }
  void join(const Softmax& page) {
    const double next = std::fmax(maximum, page.maximum), keep = std::exp(maximum - next), take = std::exp(page.maximum - next);
    maximum = next;
    total = total * keep + page.total * take;
    for (int d = 0; d < 64; ++d) sum[d] = sum[d] * keep + page.sum[d] * take;
  }
};

// begin_page(position, end, first, width) gives the softmax of one page.
template <class Page>
void walk(const Row& row, const Page& softmax_of) {
  const AttentionArgs& args = row.args;
  const std::int64_t end = row.visible() < args.key_end ? row.visible() : args.key_end;
  const bool is_last = args.key_end >= args.first_position + args.queries;
  // Slices go backwards: the carry's maximum and total, which all of them read, are written by the last one.
  for (int first = (args.head_dim - 1) / 64 * 64; first >= 0; first -= 64) {
    const int width = args.head_dim - first < 64 ? args.head_dim - first : 64;
    Softmax all;
    if (args.key_begin > 0) all.load(row.state(args.carry), first, width);
    for (std::int64_t p = args.key_begin; p < end; p += args.page_tokens)
      all.join(softmax_of(p, end < p + args.page_tokens ? end : p + args.page_tokens, first, width));
    if (is_last) {
      for (int d = 0; d < width; ++d) row.out()[first + d] = static_cast<float>(all.sum[d] / all.total);
    } else if (first > 0) {
      double* state = row.state(args.carry);
      for (int d = 0; d < width; ++d) state[2 + first + d] = all.sum[d];
    } else {
      all.store(row.state(args.carry), first, width);
    }
  }
}

template <class F>
void each_row(const AttentionArgs& args, int kv_head_begin, int kv_head_end, const F& fn) {
  const int group = args.heads / args.kv_heads;
  for (int h = kv_head_begin * group; h < kv_head_end * group; ++h)
    for (std::int64_t i = 0; i < args.queries; ++i) fn(Row{args, h, i});
}

void keep_pages(const Row& row) {
  const AttentionArgs& args = row.args;
  const std::int64_t end = row.visible() < args.key_end ? row.visible() : args.key_end;
  for (std::int64_t p = args.key_begin; p < end; p += args.page_tokens)
    for (int first = 0; first < args.head_dim; first += 64) {
      const int width = args.head_dim - first < 64 ? args.head_dim - first : 64;
      Softmax::of_page(row, p, end < p + args.page_tokens ? end : p + args.page_tokens, first, width).store(row.page_state(p), first, width);
    }
}

}  // namespace

std::size_t reference_attention_scratch_bytes(int, int, int, std::int64_t) { return 64; }

void reference_attention(const AttentionArgs& args, int kv_head_begin, int kv_head_end) {
  each_row(args, kv_head_begin, kv_head_end, [&](const Row& row) {
    if (args.page_states) return keep_pages(row);
    walk(row, [&](std::int64_t begin, std::int64_t end, int first, int width) { return Softmax::of_page(row, begin, end, first, width); });
  });
}

void reference_attention_merge(const AttentionArgs& args, int kv_head_begin, int kv_head_end) {
  each_row(args, kv_head_begin, kv_head_end, [&](const Row& row) {
    walk(row, [&](std::int64_t begin, std::int64_t, int first, int width) {
      Softmax page;
      page.load(row.page_state(begin), first, width);
      return page;
    });
  });
}

}  // namespace codicil::kernels
