// The POSIX body of file.h. Memory of 2 MiB and more comes from the system by pages so that it can be huge-page aligned and is zero for free.
#include "native/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace codicil {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLine = 64;                         // one cache line, and the widest vector register
constexpr std::size_t kReadChunk = std::size_t{1} << 30;  // Linux transfers at most 2 GiB - 4 KiB in one call

std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

std::byte* map_huge(std::size_t bytes, std::size_t& reserved) {
  const std::size_t length = round_up(bytes, kHugePage);
  if (length < bytes || length + kHugePage < length) return nullptr;
  void* raw = mmap(nullptr, length + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  auto* start = static_cast<std::byte*>(raw);
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(start) % kHugePage) % kHugePage;
  if (before > 0) munmap(start, before);
  if (before < kHugePage) munmap(start + before + length, kHugePage - before);
#ifdef MADV_HUGEPAGE
  madvise(start + before, length, MADV_HUGEPAGE);  // advice: where it is not taken, everything still works
#endif
  reserved = length;
  return start + before;
}

}  // namespace

Result<AlignedBuffer> AlignedBuffer::allocate(std::size_t bytes) {
  AlignedBuffer buffer;
  if (bytes == 0) return buffer;
  if (bytes >= kHugePage) {
    buffer.data_ = map_huge(bytes, buffer.reserved_bytes_);
  } else {
    buffer.data_ = static_cast<std::byte*>(std::aligned_alloc(kLine, round_up(bytes, kLine)));
    if (buffer.data_ != nullptr) std::memset(buffer.data_, 0, bytes);
  }
  if (buffer.data_ == nullptr)
    return Status(Code::out_of_memory,
                  "The system refused " + std::to_string(bytes) + " bytes of memory. Close other programs, or choose a smaller model or context.");
  buffer.size_ = bytes;
  return buffer;
}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    reserved_bytes_ = std::exchange(other.reserved_bytes_, 0);
  }
  return *this;
}

void AlignedBuffer::release() {
  if (data_ == nullptr) return;
  if (reserved_bytes_ > 0)
    munmap(data_, reserved_bytes_);
  else
    std::free(data_);
  data_ = nullptr;
  size_ = reserved_bytes_ = 0;
}

namespace {

int open_for_reading(const std::string& path, int flags) {
  int descriptor = -1;
  do descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

}  // namespace

Result<File> File::open(const std::string& path, Access access) {
  int descriptor = -1;
  Access given = Access::cached;
#ifdef O_DIRECT
  if (access == Access::direct && (descriptor = open_for_reading(path, O_DIRECT)) >= 0) given = Access::direct;
#endif
  if (descriptor < 0) descriptor = open_for_reading(path, 0);
  if (descriptor < 0) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) return Status(Code::not_found, "A file was expected at " + path + " and none is there. Check the path.");
    return Status(Code::io_failed, "The file " + path + " could not be opened: " + std::strerror(error) + ". Check its permissions.");
  }
  struct stat info{};
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(descriptor);
    return Status(Code::io_failed, "An ordinary file was expected at " + path + ", something else (a folder or a device) is there. Check the path.");
  }
  File file(descriptor, static_cast<std::uint64_t>(info.st_size), path, given);
  file.drops_cache_ = access != given;
  return file;
}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      path_(std::move(other.path_)),
      access_(other.access_),
      drops_cache_(other.drops_cache_) {}

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = std::exchange(other.descriptor_, -1);
    size_ = other.size_;
    path_ = std::move(other.path_);
    access_ = other.access_;
    drops_cache_ = other.drops_cache_;
  }
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

static Status outside(const std::string& name, std::uint64_t offset, std::size_t bytes, std::uint64_t size) {
  return Status(Code::io_failed, name + ": bytes " + std::to_string(offset) + " to " + std::to_string(offset + bytes) +
                                     " were expected, the file has " + std::to_string(size) +
                                     ". It is incomplete or was changed while it was read: get it again.");
}

Status File::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > size_ || out.size() > size_ - offset) return outside(path_, offset, out.size(), size_);
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = pread(descriptor_, out.data() + done, std::min(out.size() - done, kReadChunk), static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Status(Code::io_failed, path_ + " could not be read: " + std::strerror(errno) + ". Check the disk, then try again.");
    if (got == 0) return outside(path_, offset, out.size(), offset + done);
    done += static_cast<std::size_t>(got);
  }
  return {};
}

Result<AlignedBuffer> File::read_range(std::uint64_t offset, std::size_t bytes) const {
  if (offset > size_ || bytes > size_ - offset) return outside(path_, offset, bytes, size_);
  Result<AlignedBuffer> buffer = AlignedBuffer::allocate(bytes);
  if (!buffer.ok()) return buffer;
  const Status status = read(offset, {buffer.value().data(), bytes});
  if (!status.ok()) return status;
  return buffer;
}

Result<std::span<const std::byte>> File::read_around(std::uint64_t offset, std::size_t bytes, std::span<std::byte> room) const {
  if (offset > size_ || bytes > size_ - offset) return outside(path_, offset, bytes, size_);
  const std::uint64_t block = access_ == Access::direct ? kDirectBlock : 1;
  const std::uint64_t begin = offset / block * block;
  const auto wanted = static_cast<std::size_t>(offset + bytes - begin);
  // The last block of a file may be a part of one: the system then gives less than was asked for.
  const std::size_t length = (wanted + block - 1) / block * block;
  for (std::size_t done = 0; done < wanted;) {
    const ssize_t got = pread(descriptor_, room.data() + done, std::min(length - done, kReadChunk), static_cast<off_t>(begin + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Status(Code::io_failed, path_ + " could not be read: " + std::strerror(errno) + ". Check the disk, then try again.");
    if (got == 0) return outside(path_, offset, bytes, begin + done);
    done += static_cast<std::size_t>(got);
  }
#ifdef POSIX_FADV_DONTNEED
  if (drops_cache_) posix_fadvise(descriptor_, static_cast<off_t>(begin), static_cast<off_t>(length), POSIX_FADV_DONTNEED);
#endif
  return std::span<const std::byte>(room).subspan(static_cast<std::size_t>(offset - begin), bytes);
}

Status MemorySource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > bytes_.size() || out.size() > bytes_.size() - offset) return outside(name_, offset, out.size(), bytes_.size());
  if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
  return {};
}

}  // namespace codicil
