// Forced into the AMX build of the peer (-include). GCC 12's AMX intrinsics do not tell the compiler that ldtilecfg and tileloadd read memory
// (ldtilecfg claims 8 bytes of 64, tileloadd none), so that at -O3 it drops or moves the stores before them: llama.cpp v0.4.0 built so dies
// of SIGILL at its first tileloadd. A compiler barrier in front of each is enough; it costs no instruction.

#pragma once

#if defined(__AMX_TILE__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>

static inline __attribute__((always_inline)) void codicil_tile_loadconfig(const void* config) {
  __asm__ volatile("" ::: "memory");
  __asm__ volatile("ldtilecfg\t%0" ::"m"(*(const char (*)[64])config) : "memory");
}
#define _tile_loadconfig(config) codicil_tile_loadconfig(config)

#undef _tile_loadd
#define _tile_loadd(tile, base, stride)      \
  do {                                       \
    __asm__ volatile("" ::: "memory");       \
    _tile_loadd_internal(tile, base, stride); \
  } while (0)
#endif
