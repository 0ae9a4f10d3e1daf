// The input of a fuzz target as changes to a sound file: what stands behind a checksum or a table of sizes is then reached within seconds, and an
// input that is worth keeping has a few dozen bytes.
//
// First come bytes that the target takes for its own choices, then changes of 6 bytes each: u16 where, u32 what. Where is a place in the file, counted
// round its end; with its top bit set, 16 bytes are copied there from the place `what` of the file as it was (one field into another), else the four
// bytes of `what` are written. Two bytes that are left at the end cut the file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace codicil {

class FuzzInput {
 public:
  FuzzInput(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  // 0 when the input is used up.
  std::uint8_t choice() {
    if (rest_.empty()) return 0;
    const std::uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }

  // All that is left of the input, as it is.
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> out(rest_.size());
    std::transform(rest_.begin(), rest_.end(), out.begin(), [](std::uint8_t value) { return std::byte{value}; });
    return out;
  }

  // The file with all changes that are left. file.size() > 0.
  std::vector<std::byte> changed(std::span<const std::byte> sound) {
    std::vector<std::byte> file(sound.begin(), sound.end());
    for (; rest_.size() >= 6; rest_ = rest_.subspan(6)) {
      const auto where = number<std::uint16_t>(0);
      const auto what = number<std::uint32_t>(2);
      // Files of more than 32 KiB are reached by their beginning and, with the upper half of the places, by their end.
      const std::size_t place = where & 0x7fff, at = (place < 0x4000 ? place : file.size() - 1 - (place & 0x3fff) % file.size()) % file.size();
      if ((where & 0x8000) != 0)
        std::memcpy(file.data() + at, sound.data() + what % sound.size(),
                    std::min({std::size_t{16}, file.size() - at, sound.size() - what % sound.size()}));
      else
        std::memcpy(file.data() + at, &what, std::min(sizeof what, file.size() - at));
    }
    if (rest_.size() >= 2) file.resize(number<std::uint16_t>(0) % file.size());
    rest_ = {};
    return file;
  }

 private:
  template <typename T>
  T number(std::size_t at) const {
    T value;
    std::memcpy(&value, rest_.data() + at, sizeof value);
    return value;
  }

  std::span<const std::uint8_t> rest_;
};

}  // namespace codicil
