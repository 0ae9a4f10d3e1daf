// The plan before the allocation: what a model will need on this machine, from its header alone.
#pragma once

#include "kernels/kernels.h"
#include "native/engine/engine.h"
#include "native/kv/kv.h"
#include "native/model/config.h"
#include "native/model/gguf.h"
#include "native/model/weight_list.h"

namespace codicil {

// Everything that open() needs to know before it allocates.
struct Blueprint {
  model::Gguf gguf;
  model::ModelConfig config;
  const kernels::Ops* ops = nullptr;
  int threads = 1;
  std::uint64_t ram_budget_bytes = 0;       // pages
  std::uint64_t snapshot_budget_bytes = 0;  // recurrent states; 0: the model has none
  std::int64_t batch_tokens = 1;
  model::Residence residence;
  Plan plan;  // without speeds
  kv::Format kv_format = kv::Format::f16;
  model::WeightList weights() const;  // points into gguf
};

Result<Blueprint> draw(const EngineOptions& options);
ModelInfo describe(const model::ModelConfig& config);

}  // namespace codicil
