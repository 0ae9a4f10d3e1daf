// The tables of this folder. Each lives in translation units compiled for its instruction set (files ending in _avx2.cc and
// _avx512.cc), so nothing of them may run before find_cpu() has asked the machine.
#pragma once

#include "kernels/kernels.h"

namespace codicil::kernels {

extern const Ops kAvx2Ops;    // needs avx2, fma, f16c
extern const Ops kAvx512Ops;  // needs avx512 f, bw, dq, vl, vnni
extern const Ops kAmxOps;     // needs also amx tile, int8 and the system's leave to use them

}  // namespace codicil::kernels
