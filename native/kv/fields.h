// Little-endian fields at fixed offsets of the files of FORMAT.md. Private to native/kv; bounds are the caller's, who checked the length first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

namespace codicil::kv {

static_assert(std::endian::native == std::endian::little, "fields are little-endian");

template <typename T>
void put(std::span<std::byte> out, std::size_t at, T value) {
  std::memcpy(out.data() + at, &value, sizeof value);
}
template <typename T>
T get(std::span<const std::byte> in, std::size_t at) {
  T value;
  std::memcpy(&value, in.data() + at, sizeof value);
  return value;
}

}  // namespace codicil::kv
