// See layer_ring.h.
#include "native/model/layer_ring.h"

#include <algorithm>
#include <cassert>

namespace codicil::model {

std::size_t LayerRing::slot_bytes(const WeightList& list) {
  std::size_t largest = 0;
  for (const WeightBlock& layer : list.layers) largest = std::max(largest, layer.bytes);
  return largest;
}

Result<std::unique_ptr<LayerRing>> LayerRing::create(TensorFile& file, const WeightList& list, const ModelConfig& config,
                                                     std::vector<std::int64_t> streamed, std::span<LayerWeights> layers, int threads) {
  assert(streamed.size() > kSlots);
  std::unique_ptr<LayerRing> ring(new LayerRing(list, config, std::move(streamed), layers));
  for (Slot& slot : ring->slots_) {
    Result<AlignedBuffer> memory = AlignedBuffer::allocate(slot_bytes(list));
    if (!memory.ok()) return memory.status();
    slot.memory = std::move(memory).value();
  }
  // Shapes and tables are asked for before anything is read.
  for (const std::int64_t layer : ring->streamed_)
    bind_layer(ring->block(layer), config, layer, ring->slots_[0].memory.data(), layers[static_cast<std::size_t>(layer)]);
  ring->stream_ = std::make_unique<WeightStream>(file, threads);
  return ring;
}

LayerRing::Slot& LayerRing::start(std::int64_t layer) {
  const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) { return slot.layer == layer; });
  const auto oldest = std::min_element(slots_.begin(), slots_.end(), [](const Slot& a, const Slot& b) { return a.wanted < b.wanted; });
  Slot& slot = found != slots_.end() ? *found : *oldest;
  slot.wanted = ++clock_;
  // Read ahead in vain: what is there now counts.
  if (slot.layer != layer || stream_->has_failed(slot.ticket)) read(slot, layer);
  return slot;
}

void LayerRing::read(Slot& slot, std::int64_t layer) {
  (void)stream_->wait(slot.ticket);  // read ahead for a pass that did not come so far
  slot.ticket = {};
  slot.layer = layer;
  std::vector<WeightStream::Request> requests;
  add_requests(block(layer), slot.memory.data(), requests);
  stream_->submit(requests, slot.ticket);
}

Status LayerRing::hold(std::int64_t layer) {
  const auto found = std::lower_bound(streamed_.begin(), streamed_.end(), layer);
  if (found == streamed_.end() || *found != layer) return {};
  Slot& slot = start(layer);
  start(found + 1 == streamed_.end() ? streamed_.front() : found[1]);
  if (Status status = stream_->wait(slot.ticket); !status.ok()) {
    slot.layer = -1;
    return status;
  }
  bind_layer(block(layer), config_, layer, slot.memory.data(), layers_[static_cast<std::size_t>(layer)]);
  return {};
}

std::uint64_t LayerRing::bytes() const {
  std::uint64_t bytes = 0;
  for (const Slot& slot : slots_) bytes += slot.memory.size();
  return bytes;
}

}  // namespace codicil::model
