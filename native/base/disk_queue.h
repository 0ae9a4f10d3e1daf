// DiskQueue: many reads of files in flight at once, past the system's cache where that can be.
//
// Owns: the system's ring of requests (io_uring, spoken to directly: two calls and three mappings need no library) or, where a system lacks
// it or forbids it, threads that read. Leaves to callers: what the bytes mean, and whether they are whole: `done` gets only what the system said.
// An SSD gives its rate only to several requests at a time: one after the other, requests of 256 KiB reach about three quarters of it.
// Rules that must stay true: `done` is called exactly once for every read, on a thread of the queue; `out` is not touched after it.
// Threads: read() from any thread. The destructor waits for what is in flight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace codicil {

struct DiskRead {
  std::string path;
  std::uint64_t offset = 0;
  std::span<std::byte> out;
};

class DiskQueue {
 public:
  enum class Kind { best, ring, threads };
  // Never fails: `best` is the ring where the system has it, and threads elsewhere; `ring` is null where it has none (tests ask for one kind).
  static std::unique_ptr<DiskQueue> create(Kind kind = Kind::best);
  virtual ~DiskQueue() = default;
  virtual void read(DiskRead request, std::function<void(bool)> done) = 0;  // true: `out` is filled
  virtual const char* name() const = 0;                                     // "io_uring", "threads"
};

inline constexpr std::size_t kDirectAlign = 4096;  // of address, offset and length: what disks ask of an unbuffered transfer at most
// A descriptor for reading past the cache where alignment, system and file system allow it, else an ordinary one; -1 and errno.
int open_for_reading(const std::string& path, bool direct);
bool is_direct(const void* data, std::uint64_t offset, std::size_t bytes);
// All bytes from the offset, whatever interrupts; false on an error or the end of the file.
bool read_fully(int file, std::uint64_t offset, std::span<std::byte> out);

}  // namespace codicil
