// Codes and scales of packed quantized weights as AVX-512 vectors, for the VNNI and the AMX matmul. Only for files ending in _avx512.cc.
#pragma once

#include "kernels/cpu/avx512.h"
#include "kernels/cpu/packed.h"

namespace codicil::kernels {
namespace {

enum class Table { none, iq4, mxfp4 };
struct Format {
  int bits;
  bool halves, minima, super;
  Table table = Table::none;  // what 4-bit codes stand for
};
constexpr Format kQ40{4, false, false, false}, kQ41{4, false, true, false}, kQ50{5, false, false, false}, kQ51{5, false, true, false};
constexpr Format kQ80{8, false, false, false}, kQ4K{4, false, true, true}, kQ5K{5, false, true, true}, kQ6K{6, true, false, true};
constexpr Format kQ3K{4, true, false, true}, kIq4Nl{4, false, false, false, Table::iq4}, kIq4Xs{4, false, false, true, Table::iq4},
    kMxfp4{4, false, false, false, Table::mxfp4};

// The codes of one block: w[v] holds columns 4v..4v+3 of 16 rows as bytes.
template <Format F>
[[gnu::always_inline]] inline void load_codes(const std::uint8_t* codes, __m512i (&w)[8]) {
  if constexpr (F.bits == 8) {
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v) w[v] = _mm512_load_si512(codes + v * 64);
  } else {
    const __m512i low = _mm512_set1_epi8(15);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const __m512i both = _mm512_load_si512(codes + v * 64);
      w[v] = _mm512_and_si512(both, low);
      w[v + 4] = _mm512_and_si512(_mm512_srli_epi16(both, 4), low);
    }
  }
  if constexpr (F.table != Table::none) {
    // Numbers of both signs, 128 higher, so that codes stay unsigned.
    const __m512i numbers =
        _mm512_add_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(F.table == Table::iq4 ? kIq4Values : kMxfp4Values))),
                        _mm512_set1_epi8(-128));
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v) w[v] = _mm512_shuffle_epi8(numbers, w[v]);
  }
  if constexpr (F.bits == 5) {
    const __m512i fifth = _mm512_set1_epi8(16);
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v) {
      const __mmask64 mask = _load_mask64(reinterpret_cast<__mmask64*>(const_cast<std::uint8_t*>(codes + 256 + v * 8)));
      w[v] = _mm512_mask_add_epi8(w[v], mask, w[v], fifth);
    }
  }
  if constexpr (F.bits == 6) {
    const __m512i top = _mm512_set1_epi8(0x30);
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      const __m512i bits = _mm512_load_si512(codes + 256 + h * 64);
      w[4 * h] = _mm512_or_si512(w[4 * h], _mm512_and_si512(_mm512_slli_epi16(bits, 4), top));
      w[4 * h + 1] = _mm512_or_si512(w[4 * h + 1], _mm512_and_si512(_mm512_slli_epi16(bits, 2), top));
      w[4 * h + 2] = _mm512_or_si512(w[4 * h + 2], _mm512_and_si512(bits, top));
      w[4 * h + 3] = _mm512_or_si512(w[4 * h + 3], _mm512_and_si512(_mm512_srli_epi16(bits, 2), top));
    }
  }
}

// Scales (and minima, or the scales of the second halves) of one block for 16 rows.
struct Scales {
  __m512 scale, second;
};
template <Format F>
[[gnu::always_inline]] inline Scales load_scales(const std::uint8_t* group, std::int64_t b) {
  Scales s;
  if constexpr (!F.super) {
    const std::uint8_t* metadata = group + b * (F.minima ? 64 : 32);
    s.scale = load_halves(metadata);
    s.second = F.minima ? load_halves(metadata + 32) : _mm512_setzero_ps();
  } else {
    constexpr std::int64_t kFactors = F.minima ? 64 : 32;
    const std::uint8_t* super = group + (b >> 3) * (kFactors + 256);
    const std::uint8_t* scales = super + kFactors + (b & 7) * 32;
    const __m512 d = load_halves(super);
    s.scale = _mm512_mul_ps(d, _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(scales)))));
    s.second = _mm512_mul_ps(F.minima ? load_halves(super + 32) : d,
                             _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(scales + 16)))));
  }
  return s;
}

// Calls visit.template operator()<format>() for a quantized type.
template <class Visit>
[[gnu::always_inline]] inline void with_format(Type type, const Visit& visit) {
  switch (type) {
    case Type::q4_0:
      return visit.template operator()<kQ40>();
    case Type::q4_1:
      return visit.template operator()<kQ41>();
    case Type::q5_0:
      return visit.template operator()<kQ50>();
    case Type::q5_1:
      return visit.template operator()<kQ51>();
    case Type::q8_0:
      return visit.template operator()<kQ80>();
    case Type::q4_k:
      return visit.template operator()<kQ4K>();
    case Type::q5_k:
      return visit.template operator()<kQ5K>();
    case Type::q6_k:
      return visit.template operator()<kQ6K>();
    case Type::q3_k:
      return visit.template operator()<kQ3K>();
    case Type::iq4_nl:
      return visit.template operator()<kIq4Nl>();
    case Type::iq4_xs:
      return visit.template operator()<kIq4Xs>();
    case Type::mxfp4:
      return visit.template operator()<kMxfp4>();
    default:
      return;
  }
}

}  // namespace

}  // namespace codicil::kernels
