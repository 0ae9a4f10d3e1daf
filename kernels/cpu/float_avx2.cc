// Matmul of float weights (f32, f16, bf16) for the avx2 table: a ymm holds one column of 8 rows (half of a packed group), columns are
// added in order.
//
// R halves of row groups and T tokens are done together, so that R * T independent sums hide the latency of the multiply-add.
#include "kernels/cpu/avx2.h"
#include "kernels/cpu/packed.h"

namespace codicil::kernels {
namespace {

template <Type W>
[[gnu::always_inline]] inline __m256 load_column(const std::uint8_t* p) {
  if constexpr (W == Type::f32) return _mm256_loadu_ps(reinterpret_cast<const float*>(p));
  if constexpr (W == Type::f16) return load_halves(p);
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))), 16));
}

template <Type W, int R, int T>
void tile(const Weights& w, const float* x, float* out, std::int64_t out_stride, std::int64_t first_half) {
  constexpr std::int64_t kElement = W == Type::f32 ? 4 : 2, kColumn = kGroupRows * kElement;
  const std::int64_t group_bytes = w.cols * kColumn;
  const std::uint8_t* weights[R];
  for (int r = 0; r < R; ++r) {
    const std::int64_t half = first_half + r;
    weights[r] = static_cast<const std::uint8_t*>(w.data) + half / 2 * group_bytes + half % 2 * 8 * kElement;
  }
  __m256 sum[R][T];
  for (int r = 0; r < R; ++r)
    for (int t = 0; t < T; ++t) sum[r][t] = _mm256_setzero_ps();
  for (std::int64_t c = 0; c < w.cols; ++c) {
    __m256 column[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) column[r] = load_column<W>(weights[r] + c * kColumn);
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
      const __m256 value = _mm256_set1_ps(x[t * w.cols + c]);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sum[r][t] = _mm256_fmadd_ps(column[r], value, sum[r][t]);
    }
  }
  for (int r = 0; r < R; ++r) {
    const std::int64_t first = (first_half + r) * 8;
    if (first >= w.rows) break;
    const __m256i rows = lanes(w.rows - first);
    for (int t = 0; t < T; ++t) _mm256_maskstore_ps(out + t * out_stride + first, rows, sum[r][t]);
  }
}

template <Type W, int T>
void row_halves(const Weights& w, const float* x, float* out, std::int64_t out_stride, std::int64_t begin, std::int64_t end) {
  constexpr int kTogether = T == 1 ? 4 : 2;  // both halves of a group at least
  for (; begin + kTogether <= end; begin += kTogether) tile<W, kTogether, T>(w, x, out, out_stride, begin);
  for (; begin < end; begin += 2) tile<W, 2, T>(w, x, out, out_stride, begin);
}

template <Type W>
void multiply(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t begin, std::int64_t end) {
  const auto* values = static_cast<const float*>(x.data);
  std::int64_t t = 0;
  for (; t + 4 <= x.tokens; t += 4) row_halves<W, 4>(w, values + t * w.cols, out + t * out_stride, out_stride, begin, end);
  for (; t < x.tokens; ++t) row_halves<W, 1>(w, values + t * w.cols, out + t * out_stride, out_stride, begin, end);
}

}  // namespace

void avx2_matmul_float(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t begin = row_begin / kGroupRows * 2, end = (row_end + kGroupRows - 1) / kGroupRows * 2;
  if (w.type == Type::f32) return multiply<Type::f32>(w, x, out, out_stride, begin, end);
  if (w.type == Type::f16) return multiply<Type::f16>(w, x, out, out_stride, begin, end);
  multiply<Type::bf16>(w, x, out, out_stride, begin, end);
}

}  // namespace codicil::kernels
