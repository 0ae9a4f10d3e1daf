// See expert_cache.h. One mutex; the disk and the arithmetic run outside of it.
#include "native/model/expert_cache.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <numeric>

#include "native/base/crc32c.h"
#include "native/base/log.h"

namespace codicil::model {

namespace {

constexpr char kMagic[8] = {'C', 'O', 'D', 'I', 'C', 'L', 'H', 'T'};
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHead = 16;
constexpr double kLargestUse = 1e100;  // heats are scaled back before they leave what f64 can add to
// An expert begins on a page: its bytes are then moved by whole pages, and no two threads write one cache line.
constexpr std::size_t kSlotAlignment = 4096;

}  // namespace

std::size_t ExpertCache::slot_bytes(const WeightList& list) {
  std::size_t largest = 0;
  for (const WeightBlock& layer : list.layers) largest = std::max(largest, layer.expert_bytes);
  return (largest + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
}

ExpertCache::ExpertCache(const WeightList& list, std::string heat_path)
    : list_(list), heat_path_(std::move(heat_path)), slot_bytes_(slot_bytes(list)) {}

Result<std::unique_ptr<ExpertCache>> ExpertCache::create(TensorFile& file, const WeightList& list, std::uint64_t budget_bytes, int threads,
                                                         std::string heat_path) {
  std::unique_ptr<ExpertCache> cache(new ExpertCache(list, std::move(heat_path)));
  const auto all = static_cast<std::int64_t>(list.layers.size()) * list.expert_count;
  const std::int64_t slots = std::min(static_cast<std::int64_t>(budget_bytes / cache->slot_bytes_), all + kTransient);
  if (slots <= kTransient)
    return Status(Code::does_not_fit, "expected memory for at least " + std::to_string(kTransient + 1) + " experts of " +
                                          std::to_string(cache->slot_bytes_) + " bytes, found " + std::to_string(budget_bytes) +
                                          " bytes: give the model more memory or a shorter context");
  Result<AlignedBuffer> memory = AlignedBuffer::allocate(static_cast<std::size_t>(slots) * cache->slot_bytes_);
  if (!memory.ok()) return memory.status();
  cache->memory_ = std::move(memory).value();
  cache->slots_.resize(static_cast<std::size_t>(slots));
  for (std::int64_t i = slots - kTransient; i < slots; ++i) cache->slots_[static_cast<std::size_t>(i)].transient = true;
  cache->where_.assign(static_cast<std::size_t>(all), -1);
  cache->heat_.assign(static_cast<std::size_t>(all), 0.0);
  const std::vector<float> heats = read_heats(cache->heat_path_, cache->heat_.size());
  std::copy(heats.begin(), heats.end(), cache->heat_.begin());
  cache->stats_.slots = slots - kTransient;
  cache->stream_ = std::make_unique<WeightStream>(
      file, threads, [raw = cache.get()](WeightStream::Ticket& ticket, const Status& status) { raw->read_done(ticket, status); });
  return cache;
}

ExpertCache::~ExpertCache() {
  stream_.reset();
  write_heats();
}

// --- what is worth keeping -------------------------------------------------------------------------------------------------------

void ExpertCache::heat_up(std::int64_t key) { heat_[static_cast<std::size_t>(key)] += use_; }

// A slot for an expert that is not in memory: a free one, the coldest one's if this one is hotter, or one for dropping. Nothing: all are in use.
// The search goes over all slots: 4 us for 3,600 of them, where the read that follows takes a millisecond.
std::optional<std::size_t> ExpertCache::find_room(std::int64_t key) {
  std::size_t coldest = slots_.size(), transient = slots_.size();
  double least = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.pinned || slot.state == State::reading) continue;
    if (slot.transient) {
      transient = i;
    } else if (slot.key < 0) {
      return i;
    } else if (const double heat = heat_[static_cast<std::size_t>(slot.key)]; coldest == slots_.size() || heat < least) {
      coldest = i;
      least = heat;
    }
  }
  if (coldest < slots_.size() && heat_[static_cast<std::size_t>(key)] > least + use_) {
    where_[static_cast<std::size_t>(slots_[coldest].key)] = -1;
    return coldest;
  }
  return transient < slots_.size() ? std::optional(transient) : std::nullopt;
}

// --- one layer -------------------------------------------------------------------------------------------------------------------

void ExpertCache::begin(std::int64_t layer, std::span<const std::int32_t> wanted) {
  std::unique_lock lock(mutex_);
  if (layer <= layer_) {  // a new pass
    use_ *= std::exp2(1 / kHalfLife);
    if (use_ > kLargestUse) {
      for (double& heat : heat_) heat /= use_;
      use_ = 1;
    }
  }
  layer_ = layer;
  ready_.clear();
  handed_out_ = 0;
  left_ = static_cast<std::int64_t>(wanted.size());
  for (const std::int32_t expert : wanted) {
    heat_up(key(expert));
    const std::int32_t slot = where_[static_cast<std::size_t>(key(expert))];
    if (slot < 0) {
      to_read_.push_back(expert);
      continue;
    }
    slots_[static_cast<std::size_t>(slot)].pinned = true;
    ready_.push_back(static_cast<std::size_t>(slot));
  }
  stats_.hits += ready_.size();
  stats_.misses += to_read_.size();
  std::reverse(to_read_.begin(), to_read_.end());
  start_reads(lock);
}

// Gives every expert that waits a slot, as long as there are any, and asks for its bytes. The lock is open while the requests are handed over.
void ExpertCache::start_reads(std::unique_lock<std::mutex>& lock) {
  const WeightBlock& block = list_.layers[static_cast<std::size_t>(layer_)];
  std::vector<std::pair<std::size_t, std::int32_t>> started;
  while (!to_read_.empty() && status_.ok()) {
    const std::int32_t expert = to_read_.back();
    const std::optional<std::size_t> room = find_room(key(expert));
    if (!room) break;
    to_read_.pop_back();
    Slot& slot = slots_[*room];
    slot.key = key(expert);
    slot.state = State::reading;
    slot.pinned = true;
    reading_ += 1;
    started.emplace_back(*room, expert);
  }
  if (started.empty()) return;
  lock.unlock();
  std::vector<WeightStream::Request> requests;
  for (const auto& [slot, expert] : started) {
    requests.clear();
    add_expert_requests(block, expert, place(slot), requests);
    stream_->submit(requests, slots_[slot].ticket);
  }
  lock.lock();
}

void ExpertCache::read_done(const WeightStream::Ticket& ticket, const Status& status) {
  const std::scoped_lock lock(mutex_);
  const auto at =
      static_cast<std::size_t>(std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return &s.ticket == &ticket; }) - slots_.begin());
  Slot& slot = slots_[at];
  reading_ -= 1;
  if (!status.ok()) {
    if (status_.ok()) status_ = status;
    slot.key = -1;
    slot.state = State::empty;
    slot.pinned = false;
  } else {
    slot.state = State::ready;
    if (!slot.transient) where_[static_cast<std::size_t>(slot.key)] = static_cast<std::int32_t>(at);
    ready_.push_back(at);
  }
  ready_cv_.notify_all();
}

std::optional<ExpertCache::Lease> ExpertCache::take() {
  std::unique_lock lock(mutex_);
  ready_cv_.wait(lock, [&] { return left_ == 0 || !status_.ok() || handed_out_ < ready_.size(); });
  if (left_ == 0 || !status_.ok()) return std::nullopt;
  const std::size_t slot = ready_[handed_out_++];
  if (--left_ == 0) ready_cv_.notify_all();
  return Lease{static_cast<std::int32_t>(slots_[slot].key - layer_ * list_.expert_count), slot,
               place_expert(list_.layers[static_cast<std::size_t>(layer_)], place(slot))};
}

void ExpertCache::give_back(const Lease& lease) {
  std::unique_lock lock(mutex_);
  Slot& slot = slots_[lease.slot];
  if (!slot.transient) return;  // stays pinned until the layer ends
  slot.key = -1;
  slot.state = State::empty;
  slot.pinned = false;
  start_reads(lock);
}

Status ExpertCache::end() {
  std::unique_lock lock(mutex_);
  ready_cv_.wait(lock, [&] { return reading_ == 0; });
  to_read_.clear();
  for (Slot& slot : slots_) {
    slot.pinned = false;
    if (slot.transient) slot.key = -1, slot.state = State::empty;
  }
  return std::exchange(status_, Status());
}

ExpertCacheStats ExpertCache::stats() const {
  const std::scoped_lock lock(mutex_);
  ExpertCacheStats out = stats_;
  out.resident = std::count_if(slots_.begin(), slots_.end(), [](const Slot& s) { return s.state == State::ready; });
  out.bytes_read = stream_->bytes_read();
  return out;
}

// --- heats that outlive the process ----------------------------------------------------------------------------------------------

Status ExpertCache::warm(const std::function<void(double)>& progress) {
  std::vector<std::int64_t> order(heat_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return heat_[static_cast<std::size_t>(a)] > heat_[static_cast<std::size_t>(b)]; });
  const auto room = static_cast<std::size_t>(stats_.slots);
  if (order.size() > room) order.resize(room);
  std::erase_if(order, [&](std::int64_t key) { return heat_[static_cast<std::size_t>(key)] <= 0; });
  std::sort(order.begin(), order.end());  // as they lie in the file
  for (std::size_t done = 0; done < order.size();) {
    // Layer by layer, so that a wait is short and progress moves.
    const std::int64_t layer = order[done] / list_.expert_count;
    std::vector<std::int32_t> experts;
    for (; done < order.size() && order[done] / list_.expert_count == layer; ++done)
      experts.push_back(static_cast<std::int32_t>(order[done] % list_.expert_count));
    {
      std::unique_lock lock(mutex_);
      layer_ = layer;
      ready_.clear();
      to_read_ = std::move(experts);
      start_reads(lock);
    }
    if (Status status = end(); !status.ok()) return status;
    if (progress) progress(static_cast<double>(done) / static_cast<double>(order.size()));
  }
  return {};
}

std::vector<float> ExpertCache::read_heats(const std::string& path, std::size_t count) {
  if (path.empty()) return {};
  const Result<File> file = File::open(path);
  const std::size_t bytes = kHead + 4 * count + 4;
  if (!file.ok() || file.value().size() != bytes) return {};
  const Result<AlignedBuffer> read = file.value().read_range(0, bytes);
  if (!read.ok()) return {};
  const std::byte* at = read.value().data();
  std::uint32_t version = 0, n = 0, crc = 0;
  std::memcpy(&version, at + 8, 4);
  std::memcpy(&n, at + 12, 4);
  std::memcpy(&crc, at + bytes - 4, 4);
  const bool sound = std::memcmp(at, kMagic, sizeof kMagic) == 0 && version == kVersion && n == count && crc == crc32c({at, bytes - 4});
  if (!sound) {
    log(LogLevel::warning, "heats_refused", {{"file", path}});
    return {};
  }
  std::vector<float> heats(count);
  std::memcpy(heats.data(), at + kHead, 4 * count);
  for (float& heat : heats)
    if (!(heat >= 0 && heat < 1e9f)) heat = 0;  // of no use that could have happened
  return heats;
}

// What is lost when the process is killed is a warmer start.
void ExpertCache::write_heats() const {
  if (heat_path_.empty() || stats_.hits + stats_.misses == 0) return;
  const auto n = static_cast<std::uint32_t>(heat_.size());
  std::vector<std::byte> bytes(kHead + 4 * std::size_t{n} + 4);
  std::memcpy(bytes.data(), kMagic, sizeof kMagic);
  std::memcpy(bytes.data() + 8, &kVersion, 4);
  std::memcpy(bytes.data() + 12, &n, 4);
  for (std::size_t i = 0; i < heat_.size(); ++i) {
    const auto heat = static_cast<float>(heat_[i] / use_);
    std::memcpy(bytes.data() + kHead + 4 * i, &heat, 4);
  }
  const std::uint32_t crc = crc32c(std::span(bytes).first(bytes.size() - 4));
  std::memcpy(bytes.data() + bytes.size() - 4, &crc, 4);
  const std::string temporary = heat_path_ + "." + std::to_string(getpid());
  std::ofstream out(temporary, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out || std::rename(temporary.c_str(), heat_path_.c_str()) != 0) {
    std::remove(temporary.c_str());
    log(LogLevel::warning, "heats_not_written", {{"file", heat_path_}});
  }
}

}  // namespace codicil::model
