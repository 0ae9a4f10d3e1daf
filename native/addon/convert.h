// Between JavaScript values and engine.h's structs. The shapes are written down in API.md.
//
// Owns: reading options and token arrays (with a Status for what is wrong, never a throw), writing results and errors.
#pragma once

#include <napi.h>

#include <span>
#include <vector>

#include "native/base/status.h"
#include "native/device/nvml.h"
#include "native/engine/engine.h"

namespace codicil::addon {

Napi::Error to_error(Napi::Env env, const Status& status);  // .code and .message
Status wrong_argument(const char* expected, const char* found_where);

Result<std::vector<std::uint32_t>> read_bits(const Napi::Value& value, const char* where);
Result<std::vector<Token>> read_tokens(const Napi::Value& value, const char* where);
Result<EngineOptions> read_open_options(const Napi::Value& value);
Result<Priority> read_priority(const Napi::Value& value);  // undefined: interactive
Result<SyncOptions> read_sync_options(const Napi::Value& value);
Result<GenerateOptions> read_generate_options(const Napi::Value& value);

Napi::Int32Array to_tokens(Napi::Env env, std::span<const Token> tokens);
Napi::Float64Array to_doubles(Napi::Env env, std::span<const double> values);
Napi::Object to_object(Napi::Env env, const ModelInfo& info, const std::string& path);
Napi::Object to_object(Napi::Env env, const Plan& plan);
Napi::Object to_object(Napi::Env env, const device::GpuReading& gpu);
Napi::Object to_object(Napi::Env env, const EngineStats& stats);
Napi::Object to_object(Napi::Env env, const kv::Forgotten& gone);
Napi::Object to_object(Napi::Env env, const kv::Stored& stored);
Napi::Object to_object(Napi::Env env, const SyncReport& report);
Napi::Object to_object(Napi::Env env, const Generated& generated);

}  // namespace codicil::addon
