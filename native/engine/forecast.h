// How fast a model will read and answer on this machine, from what a token needs and what the machine was measured to give.
#pragma once

#include "native/device/speeds.h"
#include "native/engine/plan.h"

namespace codicil {

// Fills the speeds, the bottleneck, and what is streamed per token. `heats`: of the model's experts in earlier runs, or none.
void forecast(Blueprint& blueprint, device::Speeds& speeds, const std::vector<float>& heats);

}  // namespace codicil
