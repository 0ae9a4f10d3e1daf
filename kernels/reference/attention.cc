// What attention means: for every query head, softmax(scale * q k) v over the positions that the query may see.
//
// The softmax keeps a running maximum, so that the walk over the keys can stop and go on (AttentionArgs::carry).
// Scores and sums are accumulated in f64 here, so that a fast table is compared with the truth and not with another rounding.
#include <cmath>

#include "kernels/reference/formats.h"

namespace codicil::kernels {
namespace {

struct Head {
  const AttentionArgs& args;
  int kv_head;

  // The row of the key or value at an absolute position
  const void* key(std::int64_t position) const { return row(args.blocks[position / args.page_tokens].k, args.k_type, position); }
  const void* value(std::int64_t position) const { return row(args.blocks[position / args.page_tokens].v, args.v_type, position); }
  const void* row(const void* rows, KvType type, std::int64_t position) const {
    return static_cast<const std::uint8_t*>(rows) + (kv_head * args.page_tokens + position % args.page_tokens) * kv_row_bytes(type, args.head_dim);
  }
  double score(const float* q, std::int64_t position) const {
    double sum = 0;
    const void* k = key(position);
    for (int d = 0; d < args.head_dim; ++d) sum += static_cast<double>(q[d]) * kv_value(args.k_type, k, d);
    return sum * args.scale;
  }
};

}  // namespace

std::size_t reference_attention_scratch_bytes(int, int, int, std::int64_t) { return 64; }

namespace {

// Softmax and its weighted values over the keys seen so far, of up to 64 output dimensions.
struct Running {
  double maximum = -HUGE_VAL, total = 0;
  double sum[64] = {};

  void add(double score, KvType type, const void* value, int first, int width) {
    if (score > maximum) {
      const double decay = std::exp(maximum - score);
      total *= decay;
      for (int d = 0; d < width; ++d) sum[d] *= decay;
      maximum = score;
    }
    const double weight = std::exp(score - maximum);
    total += weight;
    for (int d = 0; d < width; ++d) sum[d] += weight * kv_value(type, value, first + d);
  }
};

}  // namespace

void reference_attention(const AttentionArgs& args, int kv_head_begin, int kv_head_end) {
  const int group = args.heads / args.kv_heads;
  const bool is_last = args.key_end >= args.first_position + args.queries;
  for (int h = kv_head_begin * group; h < kv_head_end * group; ++h) {
    const Head head{args, h / group};
    for (std::int64_t i = 0; i < args.queries; ++i) {
      const std::int64_t visible = args.first_position + i + 1, end = visible < args.key_end ? visible : args.key_end;
      const float* q = args.q + i * args.q_stride + static_cast<std::int64_t>(h) * args.head_dim;
      float* out = args.out + i * args.out_stride + static_cast<std::int64_t>(h) * args.head_dim;
      // [maximum, total, sums]
      double* carry = static_cast<double*>(args.carry) + (i * args.heads + h) * static_cast<std::int64_t>(attention_carry_bytes(args.head_dim) / 8);
      Running before;
      if (args.key_begin > 0) before.maximum = carry[0], before.total = carry[1];
      // No memory is allocated here, so the scores are computed again for every slice of 64 output dimensions.
      for (int first = 0; first < args.head_dim; first += 64) {
        const int width = args.head_dim - first < 64 ? args.head_dim - first : 64;
        Running now = before;
        for (int d = 0; d < width && args.key_begin > 0; ++d) now.sum[d] = carry[2 + first + d];
        for (std::int64_t p = args.key_begin; p < end; ++p) now.add(head.score(q, p), args.v_type, head.value(p), first, width);
        for (int d = 0; d < width; ++d) {
          if (is_last)
            out[first + d] = static_cast<float>(now.sum[d] / now.total);
          else
            carry[2 + first + d] = now.sum[d];
        }
        if (!is_last) carry[0] = now.maximum, carry[1] = now.total;
      }
    }
  }
}

}  // namespace codicil::kernels
