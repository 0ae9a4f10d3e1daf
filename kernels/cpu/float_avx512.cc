// Matmul of float weights (f32, f16, bf16) for the avx512 table: a zmm holds one column of 16 rows, columns are added in order.
//
// R row groups and T tokens are done together, so that R * T independent sums hide the latency of the multiply-add.
#include "kernels/cpu/avx512.h"
#include "kernels/cpu/packed.h"

namespace codicil::kernels {
namespace {

template <Type W>
[[gnu::always_inline]] inline __m512 load_column(const std::uint8_t* p) {
  if constexpr (W == Type::f32) return _mm512_loadu_ps(p);
  if constexpr (W == Type::f16) return load_halves(p);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))), 16));
}

template <Type W, int R, int T>
void tile(const Weights& w, const float* x, float* out, std::int64_t out_stride, std::int64_t group) {
  constexpr std::int64_t kColumn = kGroupRows * (W == Type::f32 ? 4 : 2);
  const std::int64_t group_bytes = w.cols * kColumn;
  const std::uint8_t* weights = static_cast<const std::uint8_t*>(w.data) + group * group_bytes;
  __m512 sum[R][T];
  for (int r = 0; r < R; ++r)
    for (int t = 0; t < T; ++t) sum[r][t] = _mm512_setzero_ps();
  for (std::int64_t c = 0; c < w.cols; ++c) {
    __m512 column[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) column[r] = load_column<W>(weights + r * group_bytes + c * kColumn);
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
      const __m512 value = _mm512_set1_ps(x[t * w.cols + c]);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sum[r][t] = _mm512_fmadd_ps(column[r], value, sum[r][t]);
    }
  }
  for (int r = 0; r < R; ++r) {
    const std::int64_t first = (group + r) * kGroupRows, left = w.rows - first;
    const auto rows = static_cast<__mmask16>(left >= kGroupRows ? 0xffff : (1 << left) - 1);
    for (int t = 0; t < T; ++t) _mm512_mask_storeu_ps(out + t * out_stride + first, rows, sum[r][t]);
  }
}

template <Type W, int T>
void row_groups(const Weights& w, const float* x, float* out, std::int64_t out_stride, std::int64_t begin, std::int64_t end) {
  constexpr int kTogether = T == 1 ? 4 : 2;
  for (; begin + kTogether <= end; begin += kTogether) tile<W, kTogether, T>(w, x, out, out_stride, begin);
  for (; begin < end; ++begin) tile<W, 1, T>(w, x, out, out_stride, begin);
}

template <Type W>
void multiply(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t begin, std::int64_t end) {
  const auto* values = static_cast<const float*>(x.data);
  std::int64_t t = 0;
  for (; t + 8 <= x.tokens; t += 8) row_groups<W, 8>(w, values + t * w.cols, out + t * out_stride, out_stride, begin, end);
  for (; t + 4 <= x.tokens; t += 4) row_groups<W, 4>(w, values + t * w.cols, out + t * out_stride, out_stride, begin, end);
  for (; t < x.tokens; ++t) row_groups<W, 1>(w, values + t * w.cols, out + t * out_stride, out_stride, begin, end);
}

}  // namespace

void avx512_matmul_float(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t begin = row_begin / kGroupRows, end = (row_end + kGroupRows - 1) / kGroupRows;
  if (w.type == Type::f32) return multiply<Type::f32>(w, x, out, out_stride, begin, end);
  if (w.type == Type::f16) return multiply<Type::f16>(w, x, out, out_stride, begin, end);
  multiply<Type::bf16>(w, x, out, out_stride, begin, end);
}

}  // namespace codicil::kernels
