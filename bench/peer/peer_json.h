// The little JSON that the peer driver needs: read arrays, objects, strings, numbers; write strings and numbers.
// Owns no meaning: FORMATS.md says what is read and written. Bad input ends the program with one sentence (see die()).

#pragma once

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace peer {

[[noreturn]] inline void die(const std::string& sentence) {
  std::fprintf(stderr, "peer: %s\n", sentence.c_str());
  std::exit(1);
}

// One JSON value; only the member that its kind needs is filled.
struct Json {
  std::string text;                                  // strings
  double number = 0;                                 // numbers
  std::vector<Json> items;                           // arrays
  std::vector<std::pair<std::string, Json>> fields;  // objects

  const Json& get(const std::string& name) const {
    for (const auto& [key, value] : fields) {
      if (key == name) return value;
    }
    die("expected a field \"" + name + "\" in the input, found none: see bench/peer/FORMATS.md");
  }
};

class JsonReader {
 public:
  explicit JsonReader(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) die("expected a readable file " + path + ", found none: check the path");
    text_.assign(std::istreambuf_iterator<char>(file), {});
  }

  Json read() {
    Json value = read_value();
    skip_space();
    if (at_ != text_.size()) fail("the end of the file");
    return value;
  }

 private:
  [[noreturn]] void fail(const char* expected) {
    die(std::string("expected ") + expected + " at byte " + std::to_string(at_) + " of " + path_ + ": write valid JSON");
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take_word(const char* word) {
    const std::string w(word);
    if (text_.compare(at_, w.size(), w) != 0) return false;
    at_ += w.size();
    return true;
  }

  Json read_value() {
    Json value;
    if (take('[')) {
      if (take(']')) return value;
      do value.items.push_back(read_value());
      while (take(','));
      if (!take(']')) fail("a comma or ]");
    } else if (take('{')) {
      if (take('}')) return value;
      do {
        skip_space();
        std::string key = read_string();
        if (!take(':')) fail("a colon");
        value.fields.emplace_back(std::move(key), read_value());
      } while (take(','));
      if (!take('}')) fail("a comma or }");
    } else if (at_ < text_.size() && text_[at_] == '"') {
      value.text = read_string();
    } else if (take_word("true") || take_word("false") || take_word("null")) {
      // no input of ours carries these; read over
    } else {
      char* end = nullptr;
      value.number = std::strtod(text_.c_str() + at_, &end);
      if (end == text_.c_str() + at_) fail("a value");
      at_ = static_cast<size_t>(end - text_.c_str());
    }
    return value;
  }

  uint32_t read_hex4() {
    if (at_ + 4 > text_.size()) fail("four hex digits");
    const uint32_t code = static_cast<uint32_t>(std::strtoul(text_.substr(at_, 4).c_str(), nullptr, 16));
    at_ += 4;
    return code;
  }

  std::string read_string() {
    if (at_ >= text_.size() || text_[at_] != '"') fail("a string");
    ++at_;
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        out += text_[at_++];
        continue;
      }
      if (++at_ >= text_.size()) break;
      const char c = text_[at_++];
      switch (c) {
        case 'n': out += '\n'; break;
        case 't': out += '\t'; break;
        case 'r': out += '\r'; break;
        case 'b': out += '\b'; break;
        case 'f': out += '\f'; break;
        case 'u': {
          uint32_t code = read_hex4();
          if (code >= 0xD800 && code < 0xDC00 && take_word("\\u")) code = 0x10000 + ((code - 0xD800) << 10) + (read_hex4() - 0xDC00);
          append_utf8(out, code);
          break;
        }
        default: out += c;  // quote, backslash, slash
      }
    }
    if (at_ >= text_.size()) fail("the closing quote");
    ++at_;
    return out;
  }

  static void append_utf8(std::string& out, uint32_t code) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | (code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0 | (code >> 12));
      tail(6), tail(0);
    } else {
      out += static_cast<char>(0xF0 | (code >> 18));
      tail(12), tail(6), tail(0);
    }
  }

  std::string path_;
  std::string text_;
  size_t at_ = 0;
};

// A JSON string literal. Bytes that are no UTF-8 (a token may end inside a character) become U+FFFD, so that stdout is always valid.
inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const size_t length = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
    bool whole = length > 0 && i + length <= text.size();
    for (size_t k = 1; whole && k < length; ++k) whole = (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
    if (!whole) {
      out += "\\ufffd";
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i];
    } else if (c < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out.append(text, i, length);
    }
    i += length;
  }
  return out + '"';
}

inline std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// "[a,b,c]" from any list, each item written by `write`.
template <class List, class Write>
std::string array_of(const List& list, Write write) {
  std::string out = "[";
  for (const auto& item : list) {
    if (out.size() > 1) out += ',';
    out += write(item);
  }
  return out + ']';
}

}  // namespace peer
