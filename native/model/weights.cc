// See weights.h.
#include "native/model/weights.h"

#include <algorithm>
#include <cstring>

#include "native/base/log.h"
#include "native/model/expert_cache.h"
#include "native/model/layer_ring.h"
#include "native/model/weight_list.h"
#include "native/model/weight_stream.h"

namespace codicil::model {

namespace {

constexpr int kProgressMs = 50;

// Every n-th layer rather than the last n: reading one goes on while the held ones between are computed.
std::vector<std::int64_t> spread(std::int64_t streamed, std::int64_t layers) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < layers; ++i)
    if ((i + 1) * streamed / layers > i * streamed / layers) out.push_back(i);
  return out;
}

}  // namespace

Residence choose_residence(const WeightList& list, std::uint64_t bytes) {
  Residence out;
  const std::uint64_t trunk = list.trunk_bytes(), experts = list.expert_bytes();
  const auto layers = static_cast<std::int64_t>(list.layers.size());
  if (experts > 0) {
    out.least_bytes = std::min(trunk + experts, trunk + (ExpertCache::kTransient + 1) * ExpertCache::slot_bytes(list));
  } else {
    out.least_bytes = std::min<std::uint64_t>(trunk, list.outside.bytes + LayerRing::kSlots * LayerRing::slot_bytes(list));
  }
  out.fits = bytes >= out.least_bytes;
  if (trunk + experts <= bytes || out.least_bytes == trunk + experts) {
    out.bytes = trunk + experts;
  } else if (experts > 0) {
    out.way = Residence::Way::streamed_experts;
    const std::uint64_t slot = ExpertCache::slot_bytes(list);
    out.cache_bytes = (std::max(bytes, out.least_bytes) - trunk) / slot * slot;
    out.bytes = trunk + out.cache_bytes;
  } else {
    out.way = Residence::Way::streamed_layers;
    // Layers are of a few sizes; the largest is what each is counted as.
    const std::uint64_t slot = LayerRing::slot_bytes(list), left = std::max(bytes, out.least_bytes) - out.least_bytes;
    const std::int64_t held = std::min(static_cast<std::int64_t>(left / slot), layers - static_cast<std::int64_t>(LayerRing::kSlots) - 1);
    out.layers = spread(layers - std::max<std::int64_t>(held, 0), layers);
    out.bytes = trunk + LayerRing::kSlots * slot;
    for (const std::int64_t layer : out.layers) out.bytes -= list.layers[static_cast<std::size_t>(layer)].bytes;
  }
  return out;
}

// What reading needs while the model runs. `gguf` stays where it is: tensors are pointed at.
struct ModelWeights::Source {
  Gguf gguf;
  std::unique_ptr<TensorFile> file;
  WeightList list;
};

ModelWeights::ModelWeights() = default;
ModelWeights::ModelWeights(ModelWeights&&) noexcept = default;
ModelWeights& ModelWeights::operator=(ModelWeights&&) noexcept = default;
ModelWeights::~ModelWeights() {
  // Their threads read from the source into the memory.
  ring_.reset();
  cache_.reset();
}

Result<ModelWeights> ModelWeights::load(Gguf gguf, const TensorFileOptions& options, const ModelConfig& config, const kernels::Ops& ops,
                                        const Residence& residence, const std::function<void(double)>& progress) {
  ModelWeights out;
  out.source_ = std::make_unique<Source>(Source{std::move(gguf), nullptr, {}});
  Source& source = *out.source_;
  Result<std::unique_ptr<TensorFile>> file = TensorFile::open(source.gguf, options);
  if (!file.ok()) return file.status();
  source.file = std::move(file).value();
  Result<WeightList> list = list_weights(source.gguf, config, ops);
  if (!list.ok()) return list.status();
  source.list = std::move(list).value();
  Result<std::uint64_t> fingerprint = source.file->fingerprint();
  if (!fingerprint.ok()) return fingerprint.status();
  out.fingerprint_ = fingerprint.value();
  for (const char* letter = ops.name; *letter != '\0'; ++letter)  // two tables round differently: their keys must not meet
    out.fingerprint_ = (out.fingerprint_ ^ static_cast<std::uint64_t>(*letter)) * 0x100000001b3u;

  out.layers_.resize(static_cast<std::size_t>(config.blocks()));
  if (Status status = out.load_resident(residence, config, progress); !status.ok()) return status;
  // A full disk must not keep a sound model from being opened.
  const Status recorded = source.file->record();
  if (recorded.code() == Code::cancelled) return recorded;
  if (!recorded.ok()) log(LogLevel::warning, "checksums_not_recorded", {{"reason", recorded.message()}});
  if (residence.way == Residence::Way::streamed_experts) {
    Result<std::unique_ptr<ExpertCache>> cache =
        ExpertCache::create(*source.file, source.list, residence.cache_bytes, WeightStream::kRequests, heat_path(source.file->sidecar()));
    if (!cache.ok()) return cache.status();
    out.cache_ = std::move(cache).value();
    if (Status status = out.cache_->warm(progress); !status.ok()) return status;
  } else if (residence.way == Residence::Way::streamed_layers) {
    Result<std::unique_ptr<LayerRing>> ring =
        LayerRing::create(*source.file, source.list, config, residence.layers, out.layers_, WeightStream::kRequests);
    if (!ring.ok()) return ring.status();
    out.ring_ = std::move(ring).value();
  } else {
    out.source_.reset();
  }
  return out;
}

Status ModelWeights::load_resident(const Residence& residence, const ModelConfig& config, const std::function<void(double)>& progress) {
  const WeightList& list = source_->list;
  const auto experts = residence.way == Residence::Way::all ? static_cast<std::size_t>(list.expert_count) : 0;
  const auto held = [&](std::size_t layer) {
    return !std::binary_search(residence.layers.begin(), residence.layers.end(), static_cast<std::int64_t>(layer));
  };
  std::size_t bytes = list.outside.bytes;
  for (std::size_t i = 0; i < list.layers.size(); ++i)
    if (held(i)) bytes += list.layers[i].bytes + experts * list.layers[i].expert_bytes;
  Result<AlignedBuffer> memory = AlignedBuffer::allocate(bytes);
  if (!memory.ok()) return memory.status();
  memory_ = std::move(memory).value();

  std::vector<WeightStream::Request> requests;
  add_requests(list.outside, memory_.data(), requests);
  bind_outside(config);
  std::byte* base = memory_.data() + list.outside.bytes;
  for (std::size_t i = 0; i < list.layers.size(); ++i) {
    if (!held(i)) continue;
    const WeightBlock& block = list.layers[i];
    add_requests(block, base, requests);
    bind_layer(block, config, static_cast<std::int64_t>(i), base, layers_[i]);
    base += block.bytes;
    for (std::size_t e = 0; e < experts; ++e, base += block.expert_bytes) {
      add_expert_requests(block, static_cast<std::int64_t>(e), base, requests);
      layers_[i].moe.experts[e] = place_expert(block, base);
    }
  }
  // As they lie in the file: a disk with a moving head reads on, and one without reads ahead.
  std::stable_sort(requests.begin(), requests.end(), [](const WeightStream::Request& a, const WeightStream::Request& b) {
    const GgufTensor &x = *a.item->tensor, &y = *b.item->tensor;
    if (x.part != y.part) return x.part < y.part;
    return x.offset != y.offset ? x.offset < y.offset : a.part < b.part;
  });
  WeightStream stream(*source_->file, WeightStream::kRequests);
  WeightStream::Ticket ticket;
  stream.submit(requests, ticket);
  const std::uint64_t all = stream.wait_for(ticket, 0);
  for (std::uint64_t left = all; progress && left > 0; left = stream.wait_for(ticket, kProgressMs))
    progress(1 - static_cast<double>(left) / static_cast<double>(all));
  return stream.wait(ticket);
}

void ModelWeights::bind_outside(const ModelConfig& config) {
  const auto matrix = [&](const WeightItem& item, std::size_t offset) {
    return Matrix{{item.tensor->type->type, item.rows, item.cols, memory_.data() + offset}, item.ops};
  };
  for (const WeightItem& item : source_->list.outside.items) {
    const auto* values = reinterpret_cast<const float*>(memory_.data() + item.offset);
    if (item.form == WeightItem::Form::embedding) {
      embedding_ = memory_.data() + item.offset;
      embedding_type_ = item.tensor->type;
      embedding_cols_ = config.embedding;
      if (item.ops != nullptr) output_ = matrix(item, item.packed_offset);
    } else if (item.form == WeightItem::Form::matrix) {
      output_ = matrix(item, item.offset);
    } else if (item.tensor->name == "output_norm.weight") {
      output_norm_ = values;
    } else {
      rope_factors_ = values;
    }
  }
}

Status ModelWeights::hold(std::int64_t layer) const { return ring_ == nullptr ? Status() : ring_->hold(layer); }

std::uint64_t ModelWeights::bytes() const {
  return memory_.size() + (cache_ != nullptr ? cache_->bytes() : 0) + (ring_ != nullptr ? ring_->bytes() : 0);
}

std::uint64_t ModelWeights::bytes_streamed() const {
  return (cache_ != nullptr ? cache_->stats().bytes_read : 0) + (ring_ != nullptr ? ring_->bytes_read() : 0);
}

void ModelWeights::embed(const kernels::Ops& ops, std::int32_t token, float* out) const {
  const std::size_t row_bytes = static_cast<std::size_t>(embedding_cols_ / embedding_type_->block_elements * embedding_type_->block_bytes);
  ops.dequantize_row(embedding_type_->type, embedding_ + row_bytes * static_cast<std::size_t>(token), out, embedding_cols_);
}

std::string heat_path(const std::string& sidecar) { return sidecar.empty() ? "" : sidecar.substr(0, sidecar.rfind('.')) + ".heat"; }

}  // namespace codicil::model
