// Layers of a dense model that do not fit in memory: read again in every pass, the next one while this one is computed.
//
// Owns: the memory of three layers and which layer is in which. Leaves reading to weight_stream.h and binding to weight_list.h.
// Three, because the tokens of a tile go from the end of one layer into the beginning of the next while a third is being read.
// Rule that must stay true: hold(i) never touches the memory of layer i - 1, which may still be computed with, whatever pass was left off where: the
// slot that is read into is the one that was wanted longest ago, and the layers i and i - 1 were wanted last.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "native/model/weight_stream.h"

namespace codicil::model {

class LayerRing {
 public:
  static constexpr std::size_t kSlots = 3;
  // `streamed`: layers that are read in every pass, ascending, more than kSlots. All references stay valid for the life of this.
  static Result<std::unique_ptr<LayerRing>> create(TensorFile& file, const WeightList& list, const ModelConfig& config,
                                                   std::vector<std::int64_t> streamed, std::span<LayerWeights> layers, int threads);
  // Waits until the layer is in memory, points LayerWeights at it, and begins to read the next streamed one.
  Status hold(std::int64_t layer);
  std::uint64_t bytes() const;
  std::uint64_t bytes_read() const { return stream_->bytes_read(); }
  static std::size_t slot_bytes(const WeightList& list);

 private:
  struct Slot {
    AlignedBuffer memory;
    std::int64_t layer = -1;
    std::uint64_t wanted = 0;  // clock_ when it was wanted last
    WeightStream::Ticket ticket;
  };
  LayerRing(const WeightList& list, const ModelConfig& config, std::vector<std::int64_t> streamed, std::span<LayerWeights> layers)
      : list_(list), config_(config), streamed_(std::move(streamed)), layers_(layers) {}
  Slot& start(std::int64_t layer);  // in a slot already, or read into the one that was wanted longest ago
  void read(Slot& slot, std::int64_t layer);
  const WeightBlock& block(std::int64_t layer) const { return list_.layers[static_cast<std::size_t>(layer)]; }

  const WeightList& list_;
  const ModelConfig& config_;
  const std::vector<std::int64_t> streamed_;
  const std::span<LayerWeights> layers_;
  std::array<Slot, kSlots> slots_;
  std::uint64_t clock_ = 0;
  std::unique_ptr<WeightStream> stream_;  // last: its threads end before what they write to
};

}  // namespace codicil::model
