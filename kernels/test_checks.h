// What the tests of the op tables share: checks that are counted, guarded memory, random numbers, and a walk over the tables of this machine.
//
// Kernels see nothing of native/, its test framework included. Each *_test.cc is a program: it prints "N passed, N failed, N skipped", names the tables
// that this machine lacks, and exits with 1 on any failure.
// Tolerances: matmul, prepare and conversions must agree with the reference bit for bit (the order of the arithmetic is part of the specification);
// ops that sum or exponentiate in another order get the relative error that is stated at each check.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/kernels.h"

namespace codicil::kernels {

inline int passed = 0, failed = 0;

inline void check(bool ok, const std::string& what) {
  if (ok) {
    ++passed;
  } else if (++failed <= 40) {
    std::printf("FAILED: %s\n", what.c_str());
  }
}

// 64-byte aligned memory that the sanitizer guards at both ends.
template <class T>
struct Buffer {
  explicit Buffer(std::size_t count) : size(count), data(static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64 + 64))) {
    std::memset(static_cast<void*>(data), 0xff, (count * sizeof(T) + 63) / 64 * 64 + 64);  // NaN: reading what was not written shows
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data); }
  T& operator[](std::size_t i) { return data[i]; }
  std::size_t size;
  T* data;
};

inline std::mt19937& random_bits() {
  static std::mt19937 generator(20261130);
  return generator;
}
inline float uniform(float low, float high) { return std::uniform_real_distribution<float>(low, high)(random_bits()); }
inline std::vector<float> uniform_vector(std::int64_t n, float low, float high) {
  std::vector<float> out(static_cast<std::size_t>(n));
  for (float& v : out) v = uniform(low, high);
  return out;
}

inline bool same_bits(const float* a, const float* b, std::size_t n) { return n == 0 || std::memcmp(a, b, n * sizeof(float)) == 0; }
inline bool close(const float* got, const float* want, std::size_t n, double relative, double absolute) {
  for (std::size_t i = 0; i < n; ++i)
    if (!(std::fabs(static_cast<double>(got[i]) - want[i]) <= absolute + relative * std::fabs(want[i]))) return false;
  return true;
}

// Runs `test` on the reference and on every table of this machine, prints the count and gives the exit code of the program.
inline int test_tables(void (*test)(const Ops&)) {
  int skipped = 0;
  for (const char* name : {"reference", "avx2", "avx512", "amx"}) {
    const Ops* ops = name == std::string("reference") ? &reference() : find_cpu(name);
    if (ops == nullptr) {
      std::printf("SKIPPED: table %s, this machine cannot run it\n", name);
      ++skipped;
      continue;
    }
    const int before_passed = passed, before_failed = failed;
    test(*ops);
    std::printf("%s: %d passed, %d failed\n", name, passed - before_passed, failed - before_failed);
  }
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed ? 1 : 0;
}

}  // namespace codicil::kernels
