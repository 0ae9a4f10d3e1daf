// GGUF files (versions 2 and 3, little-endian): the header, checked before anything trusts it.
//
// Owns: metadata and the tensor table. Source: the GGUF specification (ggml/docs/gguf.md). Leaves to config.h and tokenizer.h what keys mean,
// to weights what tensors are for.
// Rules that must stay true: a bad file is refused with `model_invalid` and the name of the key or tensor; nothing is allocated for a
// count before the bytes that must hold it are known to be in the file; views point into the header that this object owns.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernels/kernels.h"
#include "native/base/file.h"
#include "native/base/status.h"

namespace codicil::model {

enum class GgufType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

// One metadata value. A getter gives nothing when the value is of another kind; integers convert where the number fits.
class GgufValue {
 public:
  GgufType type = GgufType::u8;
  GgufType element = GgufType::u8;  // of an array
  bool is_array() const { return type == GgufType::array; }
  std::optional<std::int64_t> integer() const;  // any integer type, if it fits
  std::optional<double> number() const;         // any integer or float type
  std::optional<bool> boolean() const;
  std::optional<std::string_view> string() const;
  // Arrays; empty when the elements are of another kind (ask is_array() to tell from an empty one).
  std::size_t array_size() const { return array_size_; }
  std::span<const std::string_view> strings() const { return strings_; }
  std::vector<std::int64_t> integers() const;              // of an integer array
  std::vector<double> numbers() const;                     // of an integer or float array
  std::span<const std::byte> raw() const { return raw_; }  // little-endian elements of a number or bool array

 private:
  friend class GgufParser;
  std::uint64_t bits_ = 0;  // a scalar, sign-extended or as IEEE bits of its type
  std::size_t array_size_ = 0;
  std::string_view string_;
  std::vector<std::string_view> strings_;
  std::span<const std::byte> raw_;
};

struct GgufTensor {
  std::string_view name;
  const kernels::TypeInfo* type = nullptr;        // never null
  int dimensions = 0;                             // 1..4
  std::array<std::int64_t, 4> shape{1, 1, 1, 1};  // fastest dimension first (GGUF's order): a weight is {cols, rows}
  std::uint64_t offset = 0;                       // in its file
  std::size_t part = 0;                           // of Gguf::parts() whose file that is
  std::uint64_t bytes = 0;
  std::int64_t elements() const { return shape[0] * shape[1] * shape[2] * shape[3]; }
  std::int64_t cols() const { return shape[0]; }
  std::int64_t rows() const { return shape[1] * shape[2] * shape[3]; }
};

class Gguf {
 public:
  static Result<Gguf> read(const ByteSource& source);  // one file, whatever it says of other parts
  // A file, or all files of a split model from its first ("NAME-00001-of-00003.gguf"): metadata of the first, tensors of all.
  // not_found, io_failed, model_invalid (with the name of the part that is missing or belongs to another model), model_unsupported
  static Result<Gguf> read_file(const std::string& path);

  std::uint32_t version() const { return version_; }
  std::uint64_t file_bytes() const { return file_bytes_; }       // of all parts
  std::span<const std::string> parts() const { return parts_; }  // paths, or the name of the source
  // Changes with anything in the headers of the parts.
  std::uint32_t header_checksum() const { return header_checksum_; }
  std::uint64_t header_bytes() const { return header_bytes_; }  // where metadata and tensor table end
  std::span<const GgufTensor> tensors() const { return tensors_; }
  const GgufTensor* find_tensor(std::string_view name) const;
  const GgufValue* find(std::string_view key) const;
  std::span<const std::pair<std::string_view, GgufValue>> metadata() const { return metadata_; }

  // Typed look-ups: `fallback` when the key is absent; model_invalid when it is there with another type or does not fit.
  Result<std::int64_t> integer(std::string_view key, std::optional<std::int64_t> fallback = {}) const;
  Result<double> number(std::string_view key, std::optional<double> fallback = {}) const;
  Result<bool> boolean(std::string_view key, std::optional<bool> fallback = {}) const;
  Result<std::string> string(std::string_view key, std::optional<std::string> fallback = {}) const;

 private:
  friend class GgufParser;
  Status append(const Gguf& part);
  std::vector<std::shared_ptr<const std::vector<std::byte>>> headers_;  // what every view points into, [parts]
  std::vector<std::string> parts_;
  std::uint32_t header_checksum_ = 0;
  std::uint32_t version_ = 0;
  std::uint64_t file_bytes_ = 0, header_bytes_ = 0;
  std::vector<std::pair<std::string_view, GgufValue>> metadata_;
  std::vector<GgufTensor> tensors_;
  std::unordered_map<std::string_view, std::size_t> key_index_, tensor_index_;
};

}  // namespace codicil::model
