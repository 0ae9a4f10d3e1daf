// The bytes of tensors as their file had them at its first load: read, checked against recorded checksums, and taken from a second copy
// of the file where the first one is damaged.
//
// Owns: the open parts of a model, the sidecar of checksums, the choice between the copies. Leaves to weights.h what is done with the bytes.
// Rule that must stay true: bytes that do not agree with a recorded checksum are never handed out.
//
// The sidecar is FOLDER/<key as 16 digits>.crc; little-endian:
//   0   8      magic "CODICLCS"
//   8   4      u32 version, 1
//   12  4      u32 n, tensors
//   16  8      u64 key: what the model's headers, sizes and path give; another file never meets this record
//   24  4 n    u32 CRC-32C of each tensor's bytes, in the order of the tensor tables, parts one after the other
//   24 + 4 n   u32 CRC-32C of everything before
// It is written whole beside its place and renamed. One that breaks a rule counts as absent: the file is recorded anew, and the log says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "native/base/file.h"
#include "native/model/gguf.h"

namespace codicil::model {

struct TensorFileOptions {
  std::string checksum_folder;  // empty: nothing is recorded or checked
  std::string second_copy;      // another file of the same model (of a split one: its first part); empty: none
};

class TensorFile {
 public:
  // `gguf` stays valid for the life of this. not_found, io_failed: of a part
  static Result<TensorFile> open(const Gguf& gguf, const TensorFileOptions& options);

  // The tensor's bytes. model_invalid with its name when they are not what was recorded and no second copy has them. Not thread-safe.
  Result<AlignedBuffer> read(const GgufTensor& tensor);
  // After a first load: reads what was not asked for and writes the record. Nothing where there is one, or no folder.
  Status record();

  bool recorded() const { return recorded_; }
  const std::string& sidecar() const { return sidecar_; }
  // Tensors of the first copy that are not as recorded, in file order; the second copy is not looked at.
  Result<std::vector<std::string>> damaged();

 private:
  explicit TensorFile(const Gguf& gguf) : gguf_(&gguf) {}
  std::size_t index(const GgufTensor& tensor) const { return static_cast<std::size_t>(&tensor - gguf_->tensors().data()); }
  Result<AlignedBuffer> from_second(const GgufTensor& tensor, const std::string& fault);
  Result<std::uint32_t> checksum_of(const GgufTensor& tensor) const;
  void load_record();

  const Gguf* gguf_;
  std::vector<File> files_;  // [parts]
  TensorFileOptions options_;
  std::string sidecar_;
  std::uint64_t key_ = 0;
  bool recorded_ = false;
  std::vector<std::uint32_t> checksums_;  // [tensors]
  std::vector<bool> known_;               // [tensors] read in this load, or recorded
  std::optional<Gguf> second_;
  std::vector<File> second_files_;
};

}  // namespace codicil::model
