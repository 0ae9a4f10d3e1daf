// Little-endian fields at fixed offsets of the files of FORMAT.md. Private to native/kv; bounds are the caller's, who checked the length first.
#pragma once

#include <algorithm>
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

// Runs of fields; none at all has no address, which memcpy must not be given.
template <typename T>
void put_all(std::span<std::byte> out, std::size_t at, std::span<const T> values) {
  const std::span<const std::byte> bytes = std::as_bytes(values);
  std::copy(bytes.begin(), bytes.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
}
template <typename T>
void get_all(std::span<const std::byte> in, std::size_t at, std::span<T> values) {
  const std::span<const std::byte> bytes = in.subspan(at, values.size_bytes());
  std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(values).begin());
}

inline bool is_zero(std::span<const std::byte> in) {
  return std::all_of(in.begin(), in.end(), [](std::byte value) { return value == std::byte{0}; });
}

}  // namespace codicil::kv
