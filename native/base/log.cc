#include "native/base/log.h"

#include <atomic>

namespace codicil {
namespace {
std::atomic<LogSink> g_sink{nullptr};
std::atomic<void*> g_context{nullptr};
}  // namespace

void set_log_sink(LogSink sink, void* context) {
  g_sink.store(nullptr, std::memory_order_release);  // no record goes to the old sink with the new context
  g_context.store(context, std::memory_order_release);
  g_sink.store(sink, std::memory_order_release);
}

bool log_enabled() { return g_sink.load(std::memory_order_relaxed) != nullptr; }

void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  const LogSink sink = g_sink.load(std::memory_order_acquire);
  if (sink == nullptr) return;
  LogRecord record;
  record.level = level;
  record.event = event;
  record.fields = {fields.begin(), fields.size()};
  sink(g_context.load(std::memory_order_acquire), record);
}

}  // namespace codicil
