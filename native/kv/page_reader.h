// Reads layers of stored pages, many at a time, and lets through only what agrees with its checksums.
//
// Owns: the queue of reads, the measure of what they brought. Leaves to callers which pages, and where their bytes go.
// Threads: read() from any thread; `done` runs on a thread of the queue and must not block.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "native/base/disk_queue.h"
#include "native/kv/kv.h"

namespace codicil::kv {

struct ReadStats {
  std::uint64_t bytes = 0;
  double seconds = 0;  // in which at least one read was under way
};

class PageReader {
 public:
  explicit PageReader(const PageShape& shape) : shape_(shape), queue_(DiskQueue::create()) {}
  // Fills `out` with layers begin .. end - 1 of the page in that file; crc[shape.layers] are its header's and outlive the read.
  void read(std::string path, std::span<const std::uint32_t> crc, int begin, int end, std::byte* out, std::function<void(bool)> done);
  ReadStats stats() const;
  const char* queue_name() const { return queue_->name(); }

 private:
  void started();
  void ended(std::uint64_t bytes);

  const PageShape shape_;
  mutable std::mutex mutex_;
  ReadStats stats_;                                // guarded
  std::int64_t under_way_ = 0;                     // guarded
  std::chrono::steady_clock::time_point since_{};  // guarded: when under_way_ left 0
  std::unique_ptr<DiskQueue> queue_;               // last: its threads end before what they use
};

}  // namespace codicil::kv
