// Experts that do not all fit in memory: whole ones in a cache, the others read from the file when a token chooses them.
//
// Owns: the memory of the cached experts, which of them are worth keeping, the file of heats. Leaves reading to weight_stream.h, choosing and
// computing to the forward pass.
// One layer of one pass: begin() says which experts are wanted; what is there can be computed at once, and all others are being read meanwhile,
// as many as there is room for. Threads take what is ready until nothing is left; end() says whether a read failed.
// Worth: heat, a count of uses that halves every kHalfLife passes (Lee et al. 2001, "LRFU"). A missed expert takes the place of the coldest
// only where its heat is more than one use above: a long prompt, which uses every expert of every layer once per pass, then leaves the cache as
// it is, where plain LRU would drop each expert just before it is wanted again.
// Rule that must stay true: an expert that a thread computes with is never written; what is computed does not depend on what was cached.
//
// The heat file is beside the checksums, FOLDER/<key as 16 digits>.heat; little-endian:
//   0   8    magic "CODICLHT"
//   8   4    u32 version, 1
//   12  4    u32 n = layers x experts
//   16  4 n  f32 heat in uses, layer by layer
//   16 + 4 n u32 CRC-32C of everything before
// Its key is that of the checksums, so another model never meets it. A file that breaks a rule counts as absent.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "native/model/weight_stream.h"

namespace codicil::model {

struct ExpertCacheStats {
  std::uint64_t hits = 0, misses = 0;    // experts wanted by a pass, per layer
  std::uint64_t bytes_read = 0;          // of the file, for misses
  std::int64_t slots = 0, resident = 0;  // whole experts
};

class ExpertCache {
 public:
  // `list` stays valid for the life of this. does_not_fit: less memory than kTransient + 1 experts
  static Result<std::unique_ptr<ExpertCache>> create(TensorFile& file, const WeightList& list, std::uint64_t budget_bytes, int threads,
                                                     std::string heat_path);
  ~ExpertCache();  // writes the heat file
  ExpertCache(const ExpertCache&) = delete;
  ExpertCache& operator=(const ExpertCache&) = delete;

  // Reads the hottest experts of earlier runs. progress(share in 0..1).
  Status warm(const std::function<void(double)>& progress);

  // An expert that a thread may compute with until it gives it back.
  struct Lease {
    std::int32_t expert;
    std::size_t slot;
    MlpWeights weights;
  };
  // `wanted`: different experts of this layer. One layer at a time, by one thread.
  void begin(std::int64_t layer, std::span<const std::int32_t> wanted);
  // The next expert of the layer, those in memory first, then as they come; waits. Nothing: all are taken, or a read failed.
  std::optional<Lease> take();
  void give_back(const Lease& lease);
  Status end();

  ExpertCacheStats stats() const;
  std::uint64_t bytes() const { return memory_.size(); }

  // Slots for experts that are read, used and dropped: enough for every request that is kept at the disk, and those being computed.
  static constexpr std::int64_t kTransient = 8;
  static constexpr double kHalfLife = 64;
  static std::size_t slot_bytes(const WeightList& list);
  // Heats of an earlier run, in uses; empty: there is no sound file.
  static std::vector<float> read_heats(const std::string& path, std::size_t count);

 private:
  enum class State : std::uint8_t { empty, reading, ready };
  struct Slot {
    std::int64_t key = -1;  // layer * experts + expert; -1: none
    State state = State::empty;
    bool pinned = false;     // wanted by the layer that is computed
    bool transient = false;  // given up after use
    WeightStream::Ticket ticket;
  };
  ExpertCache(const WeightList& list, std::string heat_path);
  std::int64_t key(std::int32_t expert) const { return layer_ * list_.expert_count + expert; }
  std::byte* place(std::size_t slot) { return memory_.data() + slot * slot_bytes_; }
  void heat_up(std::int64_t key);
  std::optional<std::size_t> find_room(std::int64_t key);
  void start_reads(std::unique_lock<std::mutex>& lock);
  void read_done(const WeightStream::Ticket& ticket, const Status& status);
  void write_heats() const;

  const WeightList& list_;
  const std::string heat_path_;
  const std::size_t slot_bytes_;
  AlignedBuffer memory_;  // [slots, slot_bytes]
  mutable std::mutex mutex_;
  std::condition_variable ready_cv_;
  std::vector<Slot> slots_;          // the last kTransient are for dropping
  std::vector<std::int32_t> where_;  // [layers * experts] slot; -1: not in memory
  std::vector<double> heat_;         // [layers * experts] in units of use_
  double use_ = 1;                   // what one use adds now: grows instead of all heats fading
  std::int64_t layer_ = 0;
  std::vector<std::size_t> ready_;     // slots to hand out, of this layer
  std::size_t handed_out_ = 0;         // of ready_
  std::vector<std::int32_t> to_read_;  // experts without a slot yet, last one first
  std::int64_t left_ = 0;              // experts of this layer that were not taken
  std::int64_t reading_ = 0;
  Status status_;
  ExpertCacheStats stats_;
  std::unique_ptr<WeightStream> stream_;  // last: its threads end before what they write to
};

}  // namespace codicil::model
