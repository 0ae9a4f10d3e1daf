// LayerStream. See layer_stream.h for the rules.
#include "native/kv/layer_stream.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>

#include "native/kv/disk_store.h"
#include "native/kv/page_store.h"

namespace codicil::kv {

namespace {

// Spans that are in the ring: one is computed, the others are read. Two would do if the disk never paused.
constexpr std::int64_t kGroups = 4;

}  // namespace

Result<std::unique_ptr<LayerStream>> LayerStream::create(DiskStore& disk, PageReader& reader, const PageShape& shape, std::uint64_t ring_bytes) {
  std::unique_ptr<LayerStream> stream(new LayerStream(disk, reader, shape));
  stream->capacity_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(ring_bytes / shape.layer_bytes()) / kGroups);
  // One block more: the ring then begins where an unbuffered read may.
  Result<AlignedBuffer> ring =
      AlignedBuffer::allocate(static_cast<std::size_t>(stream->capacity_ * kGroups) * shape.layer_bytes() + PageShape::kLayerAlign);
  if (!ring.ok()) return ring.status();
  stream->ring_ = std::move(ring).value();
  stream->missing_.assign(kGroups, 0);
  return stream;
}

std::byte* LayerStream::slot(std::int64_t sequence, std::int32_t index) {
  const auto address = reinterpret_cast<std::uintptr_t>(ring_.data());
  const std::size_t lead = (PageShape::kLayerAlign - address % PageShape::kLayerAlign) % PageShape::kLayerAlign;
  return ring_.data() + lead + static_cast<std::size_t>(sequence % kGroups * capacity_ + index) * shape_.layer_bytes();
}

// --- the plan of a step ------------------------------------------------------------------------------------------------------------

void LayerStream::begin(std::span<const std::span<const Pin>> runs) {
  runs_.resize(runs.size());
  slots_.resize(runs.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    runs_[r].clear();
    for (const Pin& pin : runs[r]) runs_[r].push_back(pin.tier() == Tier::ssd ? pin.page_ : nullptr);
    slots_[r].assign(runs[r].size(), -1);
  }
  plan();
  current_ = next_ = 0;
  {
    const std::scoped_lock lock(mutex_);
    damaged_.clear();
  }
  read_ahead();
}

void LayerStream::plan() {
  spans_.assign(1, {});
  done_.assign(runs_.size(), 0);
  taken_.assign(runs_.size(), 0);
  std::size_t most = 0;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const bool all_in_ram = std::all_of(runs_[r].begin(), runs_[r].end(), [](const Page* page) { return page == nullptr; });
    if (all_in_ram)
      taken_[r] = static_cast<std::int64_t>(runs_[r].size());  // at once, whatever the others wait for
    else
      most = std::max(most, runs_[r].size());
  }
  // All runs go from page to page together, so that those which share a page meet in its span.
  for (std::size_t page = 0; page < most; ++page) {
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      if (static_cast<std::size_t>(taken_[r]) != page || page >= runs_[r].size()) continue;
      if (runs_[r][page] != nullptr) place(static_cast<std::int32_t>(r), static_cast<std::int64_t>(page), runs_[r][page]);
      taken_[r] += 1;
    }
  }
  close_span();
}

void LayerStream::place(std::int32_t run, std::int64_t page, const Page* found) {
  const auto known = std::find(spans_.back().pages.begin(), spans_.back().pages.end(), found);
  auto index = static_cast<std::int32_t>(known - spans_.back().pages.begin());
  if (known == spans_.back().pages.end()) {
    if (index == capacity_) {
      close_span();
      spans_.emplace_back();
      index = 0;
    }
    spans_.back().pages.push_back(found);
  }
  slots_[static_cast<std::size_t>(run)][static_cast<std::size_t>(page)] = index;
}

void LayerStream::close_span() {
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    if (taken_[r] == done_[r]) continue;
    spans_.back().parts.push_back({static_cast<std::int32_t>(r), done_[r], taken_[r]});
    done_[r] = taken_[r];
  }
}

// --- reading and waiting ------------------------------------------------------------------------------------------------------------

void LayerStream::read_ahead() {
  const std::int64_t end = std::min(current_ + kGroups, static_cast<std::int64_t>(shape_.layers) * spans());
  for (; next_ < end; ++next_) {
    const auto layer = static_cast<int>(next_ / spans());
    const std::vector<const Page*>& pages = spans_[static_cast<std::size_t>(next_ % spans())].pages;
    const auto group = static_cast<std::size_t>(next_ % kGroups);
    {
      const std::scoped_lock lock(mutex_);
      assert(missing_[group] == 0);
      missing_[group] = static_cast<std::int64_t>(pages.size());
    }
    for (std::size_t i = 0; i < pages.size(); ++i) {
      std::byte* out = slot(next_, static_cast<std::int32_t>(i));
      const Page* page = pages[i];
      reader_.read(disk_.path_of(page->name), page->layer_crc, layer, layer + 1, out, [this, group, page, out](bool ok) {
        if (!ok) std::memset(out, 0, shape_.layer_bytes());  // numbers for the arithmetic to go on with; nobody will use its result
        const std::scoped_lock lock(mutex_);
        if (!ok) damaged_.insert(page);
        if (--missing_[group] == 0) arrived_.notify_one();
      });
    }
  }
}

void LayerStream::acquire(int layer, std::int64_t span) {
  assert(current_ == layer * spans() + span && current_ < next_);
  (void)layer, (void)span;
  const auto group = static_cast<std::size_t>(current_ % kGroups);
  std::unique_lock lock(mutex_);
  if (missing_[group] == 0) return;
  const auto start = std::chrono::steady_clock::now();
  arrived_.wait(lock, [&] { return missing_[group] == 0; });
  waited_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

const std::byte* LayerStream::slice(std::int32_t run, std::int64_t page) const {
  const std::int32_t index = slots_[static_cast<std::size_t>(run)][static_cast<std::size_t>(page)];
  assert(index >= 0);
  return const_cast<LayerStream*>(this)->slot(current_, index);
}

void LayerStream::release() {
  current_ += 1;
  read_ahead();
}

void LayerStream::end() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] { return std::all_of(missing_.begin(), missing_.end(), [](std::int64_t missing) { return missing == 0; }); });
}

void EndWalk::operator()(LayerStream* stream) const { stream->end(); }

std::int64_t LayerStream::damaged_page(std::int32_t run) const {
  const std::scoped_lock lock(mutex_);
  const std::vector<const Page*>& pages = runs_[static_cast<std::size_t>(run)];
  const auto first = std::find_if(pages.begin(), pages.end(), [&](const Page* page) { return damaged_.contains(page); });
  return first == pages.end() ? -1 : first - pages.begin();
}

double LayerStream::waited_seconds() const {
  const std::scoped_lock lock(mutex_);
  return waited_seconds_;
}

}  // namespace codicil::kv
