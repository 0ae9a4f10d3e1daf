// Files as ranges of bytes, and the memory that they are read into.
//
// Owns: ByteSource (what a parser reads from), File (the real one) and AlignedBuffer. Leaves to callers: what the bytes mean.
// Rule that must stay true: weights are read (pread) into anonymous memory and never mapped from the file: the pages of an idle mapping
// are reclaimed under memory pressure, and the next token then waits for the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "native/base/status.h"

namespace codicil {

// Move-only anonymous memory. Aligned to 64 bytes at least; from 2 MiB on, aligned to 2 MiB and advised for huge pages
// (fewer TLB misses when a pass streams all weights). New memory reads as zero and is committed by the system on first touch.
class AlignedBuffer {
 public:
  static Result<AlignedBuffer> allocate(std::size_t bytes);  // out_of_memory; 0 bytes gives an empty buffer
  AlignedBuffer() = default;
  AlignedBuffer(AlignedBuffer&& other) noexcept { *this = std::move(other); }
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;
  ~AlignedBuffer() { release(); }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  void release();
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t reserved_bytes_ = 0;  // > 0: from the system by pages; 0: from the heap
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  // Fills `out` from `offset`; a range that is not inside [0, size()) or a short read is an error. Thread-safe.
  virtual Status read(std::uint64_t offset, std::span<std::byte> out) const = 0;
  virtual const std::string& name() const = 0;  // for messages
};

class File final : public ByteSource {
 public:
  // `direct`: past the system's cache (O_DIRECT), for files that are larger than what it should hold. A file system that has no such way is
  // read through the cache, and told after each read that the bytes are not needed again.
  enum class Access { cached, direct };
  static Result<File> open(const std::string& path, Access access = Access::cached);  // for reading; not_found, io_failed
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File() override;

  std::uint64_t size() const override { return size_; }
  Status read(std::uint64_t offset, std::span<std::byte> out) const override;
  const std::string& name() const override { return path_; }
  Result<AlignedBuffer> read_range(std::uint64_t offset, std::size_t bytes) const;
  // Unbuffered reads move whole blocks between the disk and memory that begins on one: reads around the range into `room` (it begins on a
  // multiple of kDirectBlock and has room_for(bytes)) and gives the place of the range in it. Thread-safe. For either kind of access.
  Result<std::span<const std::byte>> read_around(std::uint64_t offset, std::size_t bytes, std::span<std::byte> room) const;
  static constexpr std::size_t kDirectBlock = 4096;  // the largest logical block of a disk, and a page
  static constexpr std::size_t room_for(std::size_t bytes) { return (bytes + 2 * kDirectBlock - 1) / kDirectBlock * kDirectBlock; }
  Access access() const { return access_; }

 private:
  File(int descriptor, std::uint64_t size, std::string path, Access access)
      : descriptor_(descriptor), size_(size), path_(std::move(path)), access_(access) {}
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::string path_;
  Access access_ = Access::cached;
  bool drops_cache_ = false;  // direct was asked for and the file system has it not
};

// Bytes in memory that answer as the beginning of a file of `pretend_size` bytes; reading past the bytes fails.
class MemorySource final : public ByteSource {
 public:
  MemorySource(std::span<const std::byte> bytes, std::uint64_t pretend_size, std::string name = "memory")
      : bytes_(bytes), size_(pretend_size), name_(std::move(name)) {}
  std::uint64_t size() const override { return size_; }
  Status read(std::uint64_t offset, std::span<std::byte> out) const override;
  const std::string& name() const override { return name_; }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t size_;
  std::string name_;
};

}  // namespace codicil
