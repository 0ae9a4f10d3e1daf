// The commands of engine-cli. Each writes one JSON value; those with an engine get it opened by the options.
#pragma once

#include <chrono>

#include "native/tools/arguments.h"
#include "native/tools/blocking.h"

namespace codicil::tools {

using Clock = std::chrono::steady_clock;
inline double seconds_between(Clock::time_point a, Clock::time_point b) { return std::chrono::duration<double>(b - a).count(); }

// answer_commands.cc
Status ask_command(const Arguments& a, Engine& engine, JsonWriter& out);
Status generate_command(const Arguments& a, Engine& engine, JsonWriter& out);
// measure_commands.cc
Status logits_command(const Arguments& a, Engine& engine, JsonWriter& out);
Status perplexity_command(const Arguments& a, Engine& engine, JsonWriter& out);
// speed_commands.cc
Status speed_command(const Arguments& a, Engine& engine, JsonWriter& out);
Status reader_speed_command(const Arguments& a, Engine& engine, JsonWriter& out);
// session_commands.cc
Status session_command(const Arguments& a, Engine& engine, JsonWriter& out);
// soak_commands.cc
Status soak_command(const Arguments& a, Engine& engine, JsonWriter& out);
// drafting_commands.cc
Status drafting_command(const Arguments& a, JsonWriter& out);
// machine_command.cc
Status machine_command(const Arguments& a, JsonWriter& out);
// model_commands.cc
Status tokenize_command(const Arguments& a, JsonWriter& out);
Status verify_command(const Arguments& a, JsonWriter& out);
Status inspect_command(const Arguments& a, JsonWriter& out);
Status plan_command(const Arguments& a, JsonWriter& out);
Status footprint_command(const Arguments& a, JsonWriter& out);
Status random_model_command(const Arguments& a, JsonWriter& out);

}  // namespace codicil::tools
