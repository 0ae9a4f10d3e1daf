// The arguments of engine-cli: one command and its options, checked before anything is opened.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "native/engine/engine.h"

namespace codicil::tools {

struct Arguments {
  std::string command;
  std::map<std::string, std::string> values;
  bool has(const std::string& name) const { return values.count(name) != 0; }
  std::string text(const std::string& name) const {
    const auto it = values.find(name);
    return it == values.end() ? std::string() : it->second;
  }
  std::int64_t number(const std::string& name, std::int64_t fallback) const {
    return has(name) ? std::strtoll(text(name).c_str(), nullptr, 10) : fallback;
  }
};

// A usage fault is told apart from a failure by its own type: main() gives it exit code 2.
struct UsageFault {
  std::string sentence;
};

extern const char* const kUsage;
std::optional<UsageFault> read_arguments(int argc, char** argv, Arguments& out);
EngineOptions options_of(const Arguments& a);

}  // namespace codicil::tools
