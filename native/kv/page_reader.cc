#include "native/kv/page_reader.h"

#include "native/base/crc32c.h"
#include "native/kv/page_file.h"

namespace codicil::kv {

void PageReader::started() {
  const std::scoped_lock lock(mutex_);
  if (under_way_++ == 0) since_ = std::chrono::steady_clock::now();
}

void PageReader::ended(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  stats_.bytes += bytes;
  if (--under_way_ == 0) stats_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count();
}

void PageReader::read(std::string path, std::span<const std::uint32_t> crc, int begin, int end, std::byte* out, std::function<void(bool)> done) {
  const std::size_t slice = shape_.layer_bytes();
  const std::span<std::byte> target(out, static_cast<std::size_t>(end - begin) * slice);
  started();
  queue_->read({std::move(path), layer_offset(shape_, begin), target}, [this, crc, begin, end, target, slice, finished = std::move(done)](bool ok) {
    for (int layer = begin; ok && layer < end; ++layer)
      ok = crc32c(target.subspan(static_cast<std::size_t>(layer - begin) * slice, slice)) == crc[static_cast<std::size_t>(layer)];
    ended(target.size());
    finished(ok);
  });
}

ReadStats PageReader::stats() const {
  const std::scoped_lock lock(mutex_);
  return stats_;
}

}  // namespace codicil::kv
