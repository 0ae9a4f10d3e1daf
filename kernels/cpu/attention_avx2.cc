// Attention for the avx2 table: blocks of query rows x tiles of 64 keys, online softmax, f32 accumulation.
//
// A "row" is one query head of one query: all heads that share a kv head are rows of one block, so that a tile of keys is read,
// transposed and (for many rows) widened to f32 once for all of them.
//   scores   lanes are keys: the f16 tile is transposed to [head_dim][64 keys], S[row][64] = sum over d of q[d] * K[d][64]
//   values   lanes are dimensions: O[row][d] = O * exp(old maximum - new maximum) + sum over keys of p * V[key][d]
// Rule that must stay true: a row's arithmetic depends only on its position. Tiles begin at multiples of 64 within a page, keys that
// a row may not see get weight 0 exactly, and the order of additions does not depend on how many rows are done together.
#include "kernels/cpu/avx2.h"
#include "kernels/reference/formats.h"

namespace codicil::kernels {
namespace {

constexpr int kTile = 64;      // keys per tile: eight ymm of scores
constexpr int kMaxRows = 96;   // rows per block: amortizes the widening of a tile to below 5 % of the work
constexpr int kWidenFrom = 8;  // fewer rows read the f16 tile directly

struct Scratch {
  std::uint16_t* k16;  // [head_dim, 64] f16
  float* k32;          // [head_dim, 64]
  float* v32;          // [64, head_dim]
  float* scores;       // [rows, 64], weights after the softmax
  float* sums;         // [rows, head_dim]
  float* maximum;      // [rows]
  float* total;        // [rows]
  float* decay;        // [rows] factor of the old sums in this tile
  const float** q;     // [rows]
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
  if (out) *out = s;
  return at;
}

// Eight vectors k[i] whose 128-bit lanes hold 8 dimensions of key i become vectors whose lanes hold 8 keys of dimension d.
[[gnu::always_inline]] inline void transpose8(__m256i (&k)[8]) {
  __m256i a[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    a[i] = _mm256_unpacklo_epi16(k[2 * i], k[2 * i + 1]);
    a[i + 4] = _mm256_unpackhi_epi16(k[2 * i], k[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    const __m256i* p = a + 4 * half;
    const __m256i low01 = _mm256_unpacklo_epi32(p[0], p[1]), low23 = _mm256_unpacklo_epi32(p[2], p[3]);
    const __m256i high01 = _mm256_unpackhi_epi32(p[0], p[1]), high23 = _mm256_unpackhi_epi32(p[2], p[3]);
    k[4 * half] = _mm256_unpacklo_epi64(low01, low23);
    k[4 * half + 1] = _mm256_unpackhi_epi64(low01, low23);
    k[4 * half + 2] = _mm256_unpacklo_epi64(high01, high23);
    k[4 * half + 3] = _mm256_unpackhi_epi64(high01, high23);
  }
}

// k[keys][head_dim] f16 -> k16[head_dim][64]; missing keys become 0.
void transpose_keys(const std::uint16_t* k, int keys, int head_dim, std::uint16_t* k16) {
  for (int d = 0; d < head_dim; d += 16) {
    for (int key = 0; key < kTile; key += 8) {
      __m256i rows[8];
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        const std::uint16_t* from = k + static_cast<std::int64_t>(key + i) * head_dim + d;
        rows[i] = key + i < keys ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)) : _mm256_setzero_si256();
      }
      transpose8(rows);
      std::uint16_t* out = k16 + d * kTile + key;
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i * kTile), _mm256_castsi256_si128(rows[i]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + (8 + i) * kTile), _mm256_extracti128_si256(rows[i], 1));
      }
    }
  }
}

void widen(const std::uint16_t* in, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 8) _mm256_store_ps(out + i, load_halves(in + i));
}

[[gnu::always_inline]] inline __m256 load8(const float* p) { return _mm256_load_ps(p); }
[[gnu::always_inline]] inline __m256 load8(const std::uint16_t* p) { return load_halves(p); }

// scores[R][64] of R rows; K is [head_dim][64], f32 or f16. 16 keys at a time: 2 R sums of the 16 registers.
template <int R, class K>
[[gnu::always_inline]] inline void score_rows(const float* const* q, const K* k, int head_dim, float scale, float* scores) {
  for (int first = 0; first < kTile; first += 16) {
    __m256 sum[R][2];
    for (int r = 0; r < R; ++r) sum[r][0] = sum[r][1] = _mm256_setzero_ps();
    const K* at = k + first;
    for (int d = 0; d < head_dim; ++d, at += kTile) {
      const __m256 low = load8(at), high = load8(at + 8);
#pragma GCC unroll 6
      for (int r = 0; r < R; ++r) {
        const __m256 value = _mm256_set1_ps(q[r][d]);
        sum[r][0] = _mm256_fmadd_ps(low, value, sum[r][0]);
        sum[r][1] = _mm256_fmadd_ps(high, value, sum[r][1]);
      }
    }
#pragma GCC unroll 6
    for (int r = 0; r < R; ++r) {
      _mm256_store_ps(scores + r * kTile + first, _mm256_mul_ps(sum[r][0], _mm256_set1_ps(scale)));
      _mm256_store_ps(scores + r * kTile + first + 8, _mm256_mul_ps(sum[r][1], _mm256_set1_ps(scale)));
    }
  }
}

// sums[R][8 * C dims of head_dim] = sums * decay + weights[R][64] * V[keys][head_dim].
template <int R, int C, class V>
[[gnu::always_inline]] inline void add_values(const float* weights, const float* decay, const V* v, int keys, int head_dim, float* sums) {
  __m256 sum[R][C];
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int i = 0; i < C; ++i) sum[r][i] = _mm256_mul_ps(_mm256_load_ps(sums + r * head_dim + 8 * i), _mm256_set1_ps(decay[r]));
  for (int key = 0; key < keys; ++key, v += head_dim) {
    __m256 values[C];
#pragma GCC unroll 4
    for (int i = 0; i < C; ++i) values[i] = load8(v + 8 * i);
#pragma GCC unroll 6
    for (int r = 0; r < R; ++r) {
      const __m256 weight = _mm256_set1_ps(weights[r * kTile + key]);
#pragma GCC unroll 4
      for (int i = 0; i < C; ++i) sum[r][i] = _mm256_fmadd_ps(values[i], weight, sum[r][i]);
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int i = 0; i < C; ++i) _mm256_store_ps(sums + r * head_dim + 8 * i, sum[r][i]);
}

// scores[64] -> weights exp(score - maximum) of the first `visible` keys, 0 for the others; keeps maximum, total, decay.
[[gnu::always_inline]] inline void soften(float* scores, int visible, float& maximum, float& total, float& decay) {
  const __m256 minus_infinity = _mm256_set1_ps(-__builtin_inff());
  __m256 largest = minus_infinity;
  for (int i = 0; i < kTile; i += 8) {
    const __m256 live = _mm256_castsi256_ps(lanes(visible - i));
    const __m256 s = _mm256_blendv_ps(minus_infinity, _mm256_load_ps(scores + i), live);
    _mm256_store_ps(scores + i, s);
    largest = _mm256_max_ps(largest, s);
  }
  const float found = reduce_max(largest);
  const float next = found > maximum ? found : maximum;
  decay = next == maximum ? 1.0f : _mm256_cvtss_f32(exp_ps(_mm256_set1_ps(maximum - next)));
  __m256 sum = _mm256_setzero_ps();
  for (int i = 0; i < kTile; i += 8) {
    const __m256 weight = exp_ps(_mm256_sub_ps(_mm256_load_ps(scores + i), _mm256_set1_ps(next)));  // of minus infinity: 0
    _mm256_store_ps(scores + i, weight);
    sum = _mm256_add_ps(sum, weight);
  }
  total = total * decay + reduce_add(sum);
  maximum = next;
}

template <int R, class K, class V>
void do_rows(const Scratch& s, int row, const K* k, const V* v, int keys, int head_dim, float scale, const int* visible) {
  float* scores = s.scores + row * kTile;
  score_rows<R>(s.q + row, k, head_dim, scale, scores);
  for (int r = 0; r < R; ++r) soften(scores + r * kTile, visible[r], s.maximum[row + r], s.total[row + r], s.decay[row + r]);
  float* sums = s.sums + row * head_dim;
  for (int d = 0; d < head_dim; d += 16) add_values<R, 2>(scores, s.decay + row, v + d, keys, head_dim, sums + d);
}

struct Tile {
  std::int64_t begin;  // position of its first key
  int keys;            // keys that some row of the block may see
};

template <class K, class V>
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
      do_rows<6>(s, row, k, v, tile.keys, head_dim, scale, visible);
      row += 6;
      continue;
    }
    switch (left) {
      case 1:
        do_rows<1>(s, row, k, v, tile.keys, head_dim, scale, visible);
        break;
      case 2:
        do_rows<2>(s, row, k, v, tile.keys, head_dim, scale, visible);
        break;
      case 3:
        do_rows<3>(s, row, k, v, tile.keys, head_dim, scale, visible);
        break;
      case 4:
        do_rows<4>(s, row, k, v, tile.keys, head_dim, scale, visible);
        break;
      default:
        do_rows<5>(s, row, k, v, tile.keys, head_dim, scale, visible);
        break;
    }
    row = rows;
  }
}

// Queries [begin, end) of all heads of one kv head.
void do_block(const AttentionArgs& args, int kv_head, const Scratch& s, std::int64_t begin, std::int64_t end) {
  const int group = args.heads / args.kv_heads, head_dim = args.head_dim;
  const int rows = static_cast<int>(end - begin) * group;
  for (int row = 0; row < rows; ++row) {
    s.q[row] = args.q + (begin + row / group) * args.q_stride + static_cast<std::int64_t>(kv_head * group + row % group) * head_dim;
    s.maximum[row] = -__builtin_inff();
    s.total[row] = 0;
  }
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(rows) * head_dim; i += 8) _mm256_store_ps(s.sums + i, _mm256_setzero_ps());
  const std::int64_t visible = args.first_position + end;
  for (std::int64_t page = 0; page * args.page_tokens < visible; ++page) {
    for (std::int64_t offset = 0; offset < args.page_tokens; offset += kTile) {
      const std::int64_t position = page * args.page_tokens + offset;
      if (position >= visible) break;
      std::int64_t keys = args.page_tokens - offset < kTile ? args.page_tokens - offset : kTile;
      if (visible - position < keys) keys = visible - position;
      const Tile tile{position, static_cast<int>(keys)};
      const std::int64_t at = (kv_head * args.page_tokens + offset) * head_dim;
      const std::uint16_t *k = args.blocks[page].k + at, *v = args.blocks[page].v + at;
      transpose_keys(k, tile.keys, head_dim, s.k16);
      if (rows < kWidenFrom) {
        do_tile(s, tile, s.k16, v, group, rows, args.first_position + begin, head_dim, args.scale);
      } else {
        widen(s.k16, s.k32, static_cast<std::int64_t>(head_dim) * kTile);
        widen(v, s.v32, keys * head_dim);
        do_tile(s, tile, s.k32, s.v32, group, rows, args.first_position + begin, head_dim, args.scale);
      }
    }
  }
  for (int row = 0; row < rows; ++row) {
    float* out = args.out + (begin + row / group) * args.out_stride + static_cast<std::int64_t>(kv_head * group + row % group) * head_dim;
    const __m256 inverse = _mm256_set1_ps(1.0f / s.total[row]);
    for (int d = 0; d < head_dim; d += 8) _mm256_storeu_ps(out + d, _mm256_mul_ps(_mm256_load_ps(s.sums + row * head_dim + d), inverse));
  }
}

}  // namespace

std::size_t avx2_attention_scratch_bytes(int heads, int kv_heads, int head_dim, std::int64_t) {
  return layout(nullptr, heads / kv_heads, head_dim, nullptr);
}

void avx2_attention(const AttentionArgs& args, int kv_head_begin, int kv_head_end) {
  if (args.head_dim % 16 != 0) return reference_attention(args, kv_head_begin, kv_head_end);
  const int group = args.heads / args.kv_heads, step = block_queries(group);
  Scratch scratch;
  layout(args.scratch, group, args.head_dim, &scratch);
  for (int kv_head = kv_head_begin; kv_head < kv_head_end; ++kv_head)
    for (std::int64_t begin = 0; begin < args.queries; begin += step)
      do_block(args, kv_head, scratch, begin, begin + step < args.queries ? begin + step : args.queries);
}

}  // namespace codicil::kernels
