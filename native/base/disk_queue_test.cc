// Both kinds of queue give the bytes of the file, say no where there are none, and call `done` once for each read.
#include "native/base/disk_queue.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <vector>

#include "native/base/file.h"
#include "native/base/test.h"

namespace codicil {
namespace {

constexpr std::size_t kFileBytes = 64 * kDirectAlign;

class Numbers {  // a file whose every u32 is its own place
 public:
  Numbers() : path_((std::filesystem::temp_directory_path() / ("codicil_queue_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))).string()) {
    std::ofstream file(path_, std::ios::binary);
    for (std::uint32_t i = 0; i < kFileBytes / 4; ++i) file.write(reinterpret_cast<const char*>(&i), 4);
  }
  ~Numbers() { std::filesystem::remove(path_); }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

CODICIL_TEST(many_reads_in_flight_give_the_bytes_of_the_file) {
  const Numbers file;
  constexpr std::size_t kReads = 500;
  for (const DiskQueue::Kind kind : {DiskQueue::Kind::ring, DiskQueue::Kind::threads, DiskQueue::Kind::best}) {
    std::unique_ptr<DiskQueue> queue = DiskQueue::create(kind);
    if (queue == nullptr) continue;  // no ring on this system
    AlignedBuffer buffer = std::move(AlignedBuffer::allocate(kReads * 2 * kDirectAlign)).value();
    std::atomic<int> good = 0, bad = 0;
    for (std::size_t i = 0; i < kReads; ++i) {
      // Every seventh is not aligned and goes through the cache.
      const std::uint64_t offset = i % 60 * kDirectAlign + (i % 7 == 0 ? 4 : 0);
      queue->read({file.path(), offset, {buffer.data() + i * 2 * kDirectAlign, 2 * kDirectAlign}}, [&](bool ok) { (ok ? good : bad) += 1; });
    }
    queue.reset();  // waits
    CHECK_EQ(good.load(), static_cast<int>(kReads));
    CHECK_EQ(bad.load(), 0);
    bool right = true;
    for (std::size_t i = 0; i < kReads; ++i) {
      const auto* words = reinterpret_cast<const std::uint32_t*>(buffer.data() + i * 2 * kDirectAlign);
      const std::uint64_t offset = i % 60 * kDirectAlign + (i % 7 == 0 ? 4 : 0);
      for (std::size_t w = 0; w < 2 * kDirectAlign / 4; ++w) right &= words[w] == offset / 4 + w;
    }
    CHECK(right);
  }
}

CODICIL_TEST(a_file_that_is_missing_or_too_short_is_said_to_be_so) {
  const Numbers file;
  for (const DiskQueue::Kind kind : {DiskQueue::Kind::ring, DiskQueue::Kind::threads}) {
    std::unique_ptr<DiskQueue> queue = DiskQueue::create(kind);
    if (queue == nullptr) continue;
    AlignedBuffer buffer = std::move(AlignedBuffer::allocate(3 * kDirectAlign)).value();
    std::atomic<int> good = 0, bad = 0;
    const auto done = [&](bool ok) { (ok ? good : bad) += 1; };
    queue->read({file.path() + ".not", 0, {buffer.data(), kDirectAlign}}, done);
    queue->read({file.path(), kFileBytes - kDirectAlign, {buffer.data() + kDirectAlign, 2 * kDirectAlign}}, done);
    queue.reset();
    CHECK_EQ(good.load(), 0);
    CHECK_EQ(bad.load(), 2);
  }
}

}  // namespace codicil
