// The little JSON that engine-cli reads and writes: strings, numbers, arrays, objects.
//
// Owns: a parser with a depth limit and an escaper. It exists because engine-cli must run without Node and link nothing else.
// Rule that must stay true: bad input is an error with its place, never a crash.
#include "native/tools/json.h"

#include <cstdio>
#include <cstdlib>

namespace codicil::tools {

namespace {

constexpr int kMaxDepth = 64;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Json> parse() {
    Json out;
    if (!value(out, 0) || (skip(), at_ != text_.size())) {
      return Status(Code::invalid_request, "expected one JSON value, found a fault at byte " + std::to_string(at_) + ": correct the file");
    }
    return out;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) at_ += 1;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    at_ += 1;
    return true;
  }
  bool word(std::string_view w) {
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }

  bool value(Json& out, int depth) {
    skip();
    if (depth > kMaxDepth || at_ >= text_.size()) return false;
    switch (text_[at_]) {
      case '{':
        return object(out, depth);
      case '[':
        return array(out, depth);
      case '"':
        out.kind = Json::Kind::string;
        return string(out.string);
      case 't':
        out.kind = Json::Kind::boolean;
        out.boolean = true;
        return word("true");
      case 'f':
        out.kind = Json::Kind::boolean;
        return word("false");
      case 'n':
        return word("null");
      default:
        return number(out);
    }
  }

  bool object(Json& out, int depth) {
    out.kind = Json::Kind::object;
    at_ += 1;
    if (take('}')) return true;
    do {
      skip();
      std::string key;
      if (at_ >= text_.size() || text_[at_] != '"' || !string(key) || !take(':') || !value(out.fields[key], depth + 1)) return false;
    } while (take(','));
    return take('}');
  }

  bool array(Json& out, int depth) {
    out.kind = Json::Kind::array;
    at_ += 1;
    if (take(']')) return true;
    do {
      if (!value(out.items.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  bool number(Json& out) {
    const std::string copy(text_.substr(at_, 40));  // longer numbers carry nothing that a double holds
    char* end = nullptr;
    out.kind = Json::Kind::number;
    out.number = std::strtod(copy.c_str(), &end);
    at_ += static_cast<std::size_t>(end - copy.c_str());
    return end != copy.c_str();
  }

  bool hex4(std::uint32_t& out) {
    out = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : ' ';
      if (c >= '0' && c <= '9')
        out = out * 16 + static_cast<std::uint32_t>(c - '0');
      else if (c >= 'a' && c <= 'f')
        out = out * 16 + static_cast<std::uint32_t>(c - 'a') + 10;
      else if (c >= 'A' && c <= 'F')
        out = out * 16 + static_cast<std::uint32_t>(c - 'A') + 10;
      else
        return false;
    }
    return true;
  }

  static void append_utf8(std::string& out, std::uint32_t c) {
    const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (c < 0x80) {
      put(c);
    } else if (c < 0x800) {
      put(0xc0 | (c >> 6)), put(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
      put(0xe0 | (c >> 12)), put(0x80 | ((c >> 6) & 0x3f)), put(0x80 | (c & 0x3f));
    } else {
      put(0xf0 | (c >> 18)), put(0x80 | ((c >> 12) & 0x3f)), put(0x80 | ((c >> 6) & 0x3f)), put(0x80 | (c & 0x3f));
    }
  }

  bool escape(std::string& out) {
    const char c = at_ < text_.size() ? text_[at_++] : ' ';
    static constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    if (const std::size_t i = kFrom.find(c); i != std::string_view::npos) {
      out.push_back(kTo[i]);
      return true;
    }
    std::uint32_t code = 0, low = 0;
    if (c != 'u' || !hex4(code)) return false;
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u") {
      const std::size_t back = at_;
      at_ += 2;
      if (!hex4(low)) return false;
      if (low >= 0xdc00 && low < 0xe000)
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      else
        at_ = back;
    }
    append_utf8(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
    return true;
  }

  bool string(std::string& out) {
    at_ += 1;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c != '\\')
        out.push_back(c);
      else if (!escape(out))
        return false;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Json> parse_json(std::string_view text) { return Parser(text).parse(); }

void JsonWriter::separate() {
  if (!first_ && !after_key_) out_ += ',';
  first_ = after_key_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  open_ += bracket == '[' ? ']' : '}';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close() {
  out_ += open_.back();
  open_.pop_back();
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  value(name);
  out_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  out_ += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (byte < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
      out_ += escaped;
    } else {
      out_ += c;
    }
  }
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", number);
  out_ += text;
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  out_ += std::to_string(number);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  separate();
  out_ += truth ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

}  // namespace codicil::tools
