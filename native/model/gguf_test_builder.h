// Builds small GGUF files in memory, sound ones and broken ones. For tests only.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "native/base/file.h"
#include "native/model/gguf.h"

namespace codicil::model {

class GgufBuilder {
 public:
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
  std::string magic = "GGUF";

  static std::string number(std::uint64_t value, std::size_t bytes) { return {reinterpret_cast<const char*>(&value), bytes}; }
  static std::string text(std::string_view value) { return number(value.size(), 8) + std::string(value); }

  GgufBuilder& raw_pair(std::string_view key, GgufType type, const std::string& bytes) {
    pairs_ += text(key) + number(static_cast<std::uint32_t>(type), 4) + bytes;
    ++pair_count;
    return *this;
  }
  GgufBuilder& string(std::string_view key, std::string_view value) { return raw_pair(key, GgufType::string, text(value)); }
  GgufBuilder& u32(std::string_view key, std::uint32_t value) { return raw_pair(key, GgufType::u32, number(value, 4)); }
  GgufBuilder& boolean(std::string_view key, bool value) { return raw_pair(key, GgufType::boolean, number(value ? 1 : 0, 1)); }
  GgufBuilder& f32(std::string_view key, float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, 4);
    return raw_pair(key, GgufType::f32, number(bits, 4));
  }
  GgufBuilder& strings(std::string_view key, const std::vector<std::string>& values) {
    std::string bytes = number(8, 4) + number(values.size(), 8);
    for (const std::string& value : values) bytes += text(value);
    return raw_pair(key, GgufType::array, bytes);
  }
  GgufBuilder& i32s(std::string_view key, const std::vector<std::int32_t>& values) {
    std::string bytes = number(5, 4) + number(values.size(), 8);
    for (const std::int32_t value : values) bytes += number(static_cast<std::uint32_t>(value), 4);
    return raw_pair(key, GgufType::array, bytes);
  }
  GgufBuilder& f32s(std::string_view key, const std::vector<float>& values) {
    std::string bytes = number(6, 4) + number(values.size(), 8);
    for (const float value : values) bytes += number(std::bit_cast<std::uint32_t>(value), 4);
    return raw_pair(key, GgufType::array, bytes);
  }
  GgufBuilder& u16(std::string_view key, std::uint16_t value) { return raw_pair(key, GgufType::u16, number(value, 2)); }
  GgufBuilder& raw_pairs(std::string_view bytes, std::uint64_t count) {
    pairs_ += bytes;
    pair_count += count;
    return *this;
  }
  // `bytes` of data behind the last tensor, aligned. offset: another one than that, for broken files.
  GgufBuilder& tensor(std::string_view name, std::uint32_t type, const std::vector<std::uint64_t>& shape, std::uint64_t bytes,
                      std::int64_t offset = -1) {
    tensors_ += text(name) + number(shape.size(), 4);
    for (const std::uint64_t size : shape) tensors_ += number(size, 8);
    tensors_ += number(type, 4) + number(offset >= 0 ? static_cast<std::uint64_t>(offset) : data_, 8);
    data_ += (bytes + alignment - 1) / alignment * alignment;
    ++tensor_count;
    return *this;
  }

  std::string build() const {
    std::string file = magic + number(version, 4) + number(tensor_count, 8) + number(pair_count, 8) + pairs_ + tensors_;
    file.resize((file.size() + alignment - 1) / alignment * alignment + data_, '\0');
    return file;
  }

  std::uint64_t tensor_count = 0, pair_count = 0;  // public: broken files lie about them

 private:
  std::string pairs_, tensors_;
  std::uint64_t data_ = 0;
};

inline Result<Gguf> read_bytes(std::string_view file, std::uint64_t pretend_size) {
  return Gguf::read(MemorySource({reinterpret_cast<const std::byte*>(file.data()), file.size()}, pretend_size, "built.gguf"));
}
inline Result<Gguf> read_bytes(std::string_view file) { return read_bytes(file, file.size()); }

inline std::string split_name(const std::string& stem, int part, int count) {
  char text[32];
  std::snprintf(text, sizeof text, "-%05d-of-%05d.gguf", part + 1, count);
  return stem + text;
}

// Writes the model of one file once more as `count` files STEM-0000N-of-0000M.gguf, tensors dealt out in turn.
inline Status split_file(const std::string& path, const std::string& stem, int count) {
  const Result<File> file = File::open(path);
  if (!file.ok()) return file.status();
  const Result<Gguf> gguf = Gguf::read(file.value());
  if (!gguf.ok()) return gguf.status();
  std::uint64_t table_bytes = 0;
  for (const GgufTensor& t : gguf.value().tensors()) table_bytes += 8 + t.name.size() + 4 + 8 * static_cast<std::uint64_t>(t.dimensions) + 4 + 8;
  const std::uint64_t begin = 4 + 4 + 8 + 8, end = gguf.value().header_bytes() - table_bytes;
  const Result<AlignedBuffer> header = file.value().read_range(0, static_cast<std::size_t>(end));
  if (!header.ok()) return header.status();
  for (int part = 0; part < count; ++part) {
    GgufBuilder builder;
    if (part == 0) builder.raw_pairs({header.value().as<char>() + begin, static_cast<std::size_t>(end - begin)}, gguf.value().metadata().size());
    builder.u16("split.no", static_cast<std::uint16_t>(part)).u16("split.count", static_cast<std::uint16_t>(count));
    builder.u32("split.tensors.count", static_cast<std::uint32_t>(gguf.value().tensors().size()));
    std::vector<const GgufTensor*> mine;
    for (std::size_t i = static_cast<std::size_t>(part); i < gguf.value().tensors().size(); i += static_cast<std::size_t>(count))
      mine.push_back(&gguf.value().tensors()[i]);
    for (const GgufTensor* t : mine)
      builder.tensor(t->name, static_cast<std::uint32_t>(t->type->type), {t->shape.begin(), t->shape.begin() + t->dimensions}, t->bytes);
    std::string bytes = builder.build();
    const Result<Gguf> placed = read_bytes(bytes);
    if (!placed.ok()) return placed.status();
    for (const GgufTensor* t : mine) {
      const std::span<char> target(bytes.data() + placed.value().find_tensor(t->name)->offset, static_cast<std::size_t>(t->bytes));
      if (Status status = file.value().read(t->offset, std::as_writable_bytes(target)); !status.ok()) return status;
    }
    std::ofstream(split_name(stem, part, count), std::ios::binary) << bytes;
  }
  return {};
}

// The model that ships, seen from the repository's root or from a test's folder; empty: not found.
inline std::string shipped_model() {
  for (const char* path : {"assets/models/codicil-reader-135m-q4_0.gguf", "../../../assets/models/codicil-reader-135m-q4_0.gguf"})
    if (File::open(path).ok()) return path;
  return {};
}

}  // namespace codicil::model
