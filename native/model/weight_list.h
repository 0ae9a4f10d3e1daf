// Which tensors a model has, what each becomes in memory, and where in its block it lies: the one list that loading, streaming and the plan
// are made from, so that they cannot drift apart.
//
// Owns: names and shapes of the tensors of every architecture, checked against the configuration; offsets. Leaves reading to weight_stream.h
// and memory to weights.h.
// Rule that must stay true: a tensor that is missing, of another shape or of a type that no table takes is refused with its name.
#pragma once

#include <string>
#include <vector>

#include "native/model/weights.h"

namespace codicil::model {

struct WeightItem {
  enum class Form {
    vector,     // f32
    taps,       // f32, [conv_kernel, conv_channels] from GGUF's [conv_channels, conv_kernel]
    matrix,     // packed for `ops`; of experts: one of them
    embedding,  // as it lies in the file; with `ops` (the output matrix is the same) packed behind that too
  };
  const GgufTensor* tensor = nullptr;
  Form form = Form::vector;
  const kernels::Ops* ops = nullptr;
  std::int64_t rows = 0, cols = 0;  // of one matrix
  std::size_t offset = 0;           // in the block; of experts: in the memory of one expert
  std::size_t packed_offset = 0;    // embedding: where the packed form begins
};

// What is read and held together: everything outside the layers, or the layer's own.
struct WeightBlock {
  std::vector<WeightItem> items;
  std::size_t bytes = 0;
  std::vector<WeightItem> experts;  // gate, up, down; empty: the layer has none
  std::size_t expert_bytes = 0;     // the three matrices of one expert
};

struct WeightList {
  WeightBlock outside;
  std::vector<WeightBlock> layers;  // [ModelConfig::blocks()]
  std::int64_t expert_count = 0;    // of every layer
  std::uint64_t trunk_bytes() const;
  std::uint64_t expert_bytes() const;  // of all layers
};

Result<WeightList> list_weights(const Gguf& gguf, const ModelConfig& config, const kernels::Ops& ops);

// Sets the pointers of a layer whose block lies at `base`. Experts get their shapes and tables, and no data (place_expert gives them that).
void bind_layer(const WeightBlock& block, const ModelConfig& config, std::int64_t index, const std::byte* base, LayerWeights& out);
MlpWeights place_expert(const WeightBlock& block, const std::byte* base);
// Writes rows [first_row, first_row + rows) of an item, whose bytes in the file are `raw`, to where they belong in the block at `base`.
void write_part(const WeightItem& item, std::span<const std::byte> raw, std::int64_t first_row, std::int64_t rows, std::byte* base);

}  // namespace codicil::model
