// The bytes of tensors as their file had them at its first load: read part by part, checked against recorded checksums, and taken from a
// second copy of the file where the first one is damaged.
//
// Owns: the open files of a model, how a tensor is cut into parts, the sidecar of checksums, the choice between the copies. Leaves to
// weight_stream.h who reads which part when, and to weights.h what is done with the bytes.
// Rules that must stay true: bytes that do not agree with a recorded checksum are never handed out; a part is cut by the file alone, never
// by what this machine computes with, so a record holds on every machine.
//
// The sidecar is FOLDER/<key as 16 digits>.crc; little-endian:
//   0   8      magic "CODICLCS"
//   8   4      u32 version, 2
//   12  4      u32 n, parts of all tensors
//   16  8      u64 key: what the model's headers, sizes and path give; another file never meets this record
//   24  4 n    u32 CRC-32C of each part's bytes, in the order of the tensor tables, parts of a tensor one after the other
//   24 + 4 n   u32 CRC-32C of everything before
// It is written whole beside its place and renamed. One that breaks a rule counts as absent: the file is recorded anew, and the log says so.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "native/base/file.h"
#include "native/model/gguf.h"

namespace codicil::model {

struct TensorFileOptions {
  std::string checksum_folder;  // empty: nothing is recorded or checked
  std::string second_copy;      // another file of the same model (of a split one: its first part); empty: none
  File::Access access = File::Access::cached;
  std::shared_ptr<const std::atomic<bool>> stop;  // set: every read from then on ends as cancelled; null: never
};

// Rows of one matrix of a tensor (the experts of a layer are one tensor of many matrices), read at once.
struct TensorPart {
  std::int64_t matrix = 0, first_row = 0, rows = 0;
  std::uint64_t offset = 0, bytes = 0;  // in the tensor
};

// How a tensor is cut: no part crosses from one matrix to the next, and all but the last of a matrix are of a multiple of kPartRows rows.
class TensorParts {
 public:
  explicit TensorParts(const GgufTensor& tensor);
  std::int64_t count() const { return matrices_ * parts_per_matrix_; }
  std::int64_t matrices() const { return matrices_; }
  std::int64_t per_matrix() const { return parts_per_matrix_; }
  TensorPart get(std::int64_t index) const;
  static constexpr std::int64_t kPartRows = 64;  // a multiple of every table's pack_rows

 private:
  std::int64_t matrices_, matrix_rows_, part_rows_, parts_per_matrix_;
  std::uint64_t row_bytes_;
};

// Memory of one reading thread: grows to the largest part that it met.
class Staging {
 public:
  Result<std::span<std::byte>> room(std::size_t bytes);  // begins on a multiple of File::kDirectBlock
  static std::size_t planned_bytes(std::uint64_t part_bytes) { return File::room_for(static_cast<std::size_t>(part_bytes)) + File::kDirectBlock; }

 private:
  AlignedBuffer memory_;
};

class TensorFile {
 public:
  // `gguf` stays valid for the life of this. not_found, io_failed: of a part
  static Result<std::unique_ptr<TensorFile>> open(const Gguf& gguf, const TensorFileOptions& options);

  // The bytes of one part, in `staging`. cancelled: the stop was set; model_invalid with the tensor's name when they are not what was recorded and no
  // second copy has them. Several threads may read, each with its own staging.
  Result<std::span<const std::byte>> read(const GgufTensor& tensor, const TensorPart& part, Staging& staging);
  // After a first load: reads what was not asked for and writes the record. Nothing where there is one, or no folder.
  Status record();
  // Changes with the tensor table and with the bytes at kSamples places of every tensor: two fine-tunes of one shape differ in nearly all of
  // them. The same however much of the model is held in memory.
  Result<std::uint64_t> fingerprint();

  bool recorded() const { return recorded_; }
  const std::string& sidecar() const { return sidecar_; }  // empty without a folder
  // Tensors of the first copy that are not as recorded, in file order; the second copy is not looked at.
  Result<std::vector<std::string>> damaged();

 private:
  struct PartOfTensor {
    std::size_t tensor;
    TensorPart part;
  };
  TensorFile(const Gguf& gguf, const TensorFileOptions& options);
  std::size_t index(const GgufTensor& tensor) const { return static_cast<std::size_t>(&tensor - gguf_->tensors().data()); }
  std::size_t slot(const GgufTensor& tensor, const TensorPart& part) const;
  Result<std::span<const std::byte>> from_second(const GgufTensor& tensor, const TensorPart& part, const std::string& fault, Staging& staging);
  Status open_second(const std::string& damaged);
  // Calls fn with the bytes of every part that `wanted` chooses, from several threads; the first failure of fn or of reading ends it.
  Status for_each_part(const std::function<bool(std::size_t slot)>& wanted,
                       const std::function<Status(std::size_t tensor, std::size_t slot, const Result<std::span<const std::byte>>&)>& fn) const;
  void load_record();
  bool is_stopped() const { return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed); }

  const Gguf* gguf_;
  const TensorFileOptions options_;
  std::vector<File> files_;  // [parts of the model]
  std::string sidecar_;
  std::uint64_t key_ = 0;
  bool recorded_ = false;
  std::vector<std::size_t> first_slot_;   // [tensors + 1]
  std::vector<std::uint32_t> checksums_;  // [slots]
  std::vector<std::uint8_t> known_;       // [slots] 1: read in this load, or recorded; bytes, as threads write different ones at once
  std::mutex second_mutex_;
  std::optional<Gguf> second_;
  std::vector<File> second_files_;
};

}  // namespace codicil::model
