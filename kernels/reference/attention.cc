// What attention means: for every query head, softmax(scale * q k) v over the positions that the query may see.
//
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

void reference_attention(const AttentionArgs& args, int kv_head_begin, int kv_head_end) {
  const int group = args.heads / args.kv_heads;
  for (int h = kv_head_begin * group; h < kv_head_end * group; ++h) {
    const Head head{args, h / group};
    for (std::int64_t i = 0; i < args.queries; ++i) {
      const std::int64_t visible = args.first_position + i + 1;
      const float* q = args.q + i * args.q_stride + static_cast<std::int64_t>(h) * args.head_dim;
      float* out = args.out + i * args.out_stride + static_cast<std::int64_t>(h) * args.head_dim;
      double maximum = head.score(q, 0);
      for (std::int64_t p = 1; p < visible; ++p) maximum = std::fmax(maximum, head.score(q, p));
      double total = 0;
      for (std::int64_t p = 0; p < visible; ++p) total += std::exp(head.score(q, p) - maximum);
      // No memory is allocated here, so the scores are computed again for every slice of 64 output dimensions.
      for (int first = 0; first < args.head_dim; first += 64) {
        const int width = args.head_dim - first < 64 ? args.head_dim - first : 64;
        double sum[64] = {};
        for (std::int64_t p = 0; p < visible; ++p) {
          const double weight = std::exp(head.score(q, p) - maximum) / total;
          const void* v = head.value(p);
          for (int d = 0; d < width; ++d) sum[d] += weight * kv_value(args.v_type, v, first + d);
        }
        for (int d = 0; d < width; ++d) out[first + d] = static_cast<float>(sum[d]);
      }
    }
  }
}

}  // namespace codicil::kernels
