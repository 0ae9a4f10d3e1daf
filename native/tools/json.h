// JSON for the command line: parsing what a bench hands over, writing what it reads back.
//
// Owns: Json (a parsed value) and JsonWriter (one value, written in order). Limits: depth 64, numbers as double. Not for untrusted
// network input; a bad file gives invalid_request with the byte where it went wrong.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "native/base/status.h"

namespace codicil::tools {

struct Json {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;
  std::string string;
  std::vector<Json> items;             // of an array
  std::map<std::string, Json> fields;  // of an object
  const Json* find(const std::string& key) const {
    const auto it = fields.find(key);
    return it == fields.end() ? nullptr : &it->second;
  }
};

Result<Json> parse_json(std::string_view text);

class JsonWriter {
 public:
  JsonWriter& open(char bracket);  // '[' or '{'
  JsonWriter& close();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);  // %.9g: a float survives
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::uint64_t number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(bool truth);
  template <typename T>
  JsonWriter& value(const std::optional<T>& known) {
    return known ? value(*known) : null();
  }
  JsonWriter& null();
  template <typename T>
  JsonWriter& field(std::string_view name, const T& what) {
    return key(name).value(what);
  }
  const std::string& text() const { return out_; }

 private:
  void separate();
  std::string out_;
  std::string open_;  // brackets that are open
  bool first_ = true, after_key_ = false;
};

}  // namespace codicil::tools
