// Structured log: library code reports what happened to one sink and never prints.
//
// Owns: the record and the process-wide sink. Leaves to whoever embeds the engine (addon, engine-cli, a test): where records go.
// Rules that must stay true: without a sink a record costs one atomic load; a sink is called by the thread that logs, may be called
// from several threads at once and must not block; a record's views live only during the call.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace codicil {

enum class LogLevel { debug, info, warning, error };

struct LogField {
  std::string_view key;  // snake_case, with its unit: `read_ms`, `weight_bytes`
  std::string value;
};

struct LogRecord {
  LogLevel level = LogLevel::info;
  std::string_view event;  // past tense: "model_opened", "page_evicted"
  std::span<const LogField> fields;
};

using LogSink = void (*)(void* context, const LogRecord& record);

// Replaces the sink; null turns logging off. Not to be called while other threads log: set it before the engine opens.
void set_log_sink(LogSink sink, void* context);
bool log_enabled();
void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

}  // namespace codicil
