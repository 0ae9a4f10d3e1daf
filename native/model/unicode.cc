// UTF-8 by Unicode table 3-7, and the class look-up: a direct table below U+0800, binary search over ranges above.
#include "native/model/unicode.h"

#include <algorithm>
#include <array>

namespace codicil::model {
namespace {

CharClass search(std::uint32_t code_point) {
  const UnicodeRange* end = kUnicodeRanges + kUnicodeRangeCount;
  const UnicodeRange* after =
      std::upper_bound(kUnicodeRanges, end, code_point, [](std::uint32_t value, const UnicodeRange& range) { return value < range.first; });
  return (after - 1)->char_class;  // the first range begins at 0
}

// Latin, Greek, Cyrillic, Hebrew and Arabic by one load; the rest by about eleven comparisons.
constexpr std::uint32_t kDirect = 0x800;

}  // namespace

CharClass class_of(std::uint32_t code_point) {
  static const std::array<CharClass, kDirect> table = [] {
    std::array<CharClass, kDirect> classes{};
    for (std::uint32_t i = 0; i < kDirect; ++i) classes[i] = search(i);
    return classes;
  }();
  if (code_point < kDirect) return table[code_point];
  return code_point > 0x10FFFF ? CharClass::none : search(code_point);
}

Decoded decode_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(at);
  if (lead < 0x80) return {lead, 1, true, false};
  if (lead < 0xC2 || lead > 0xF4) return {kReplacement, 1, false, false};
  const std::uint32_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t point = lead & (0x7Fu >> length);
  for (std::uint32_t i = 1; i < length; ++i) {
    if (at + i >= text.size()) return {kReplacement, i, false, true};
    const std::uint8_t next = byte(at + i);
    // The second byte says whether the form is overlong, a surrogate or past U+10FFFF (Unicode table 3-7).
    std::uint8_t low = 0x80, high = 0xBF;
    if (i == 1 && lead == 0xE0) low = 0xA0;
    if (i == 1 && lead == 0xED) high = 0x9F;
    if (i == 1 && lead == 0xF0) low = 0x90;
    if (i == 1 && lead == 0xF4) high = 0x8F;
    if (next < low || next > high) return {kReplacement, i, false, false};
    point = point << 6 | (next & 0x3Fu);
  }
  return {point, length, true, false};
}

void append_utf8(std::string& out, std::uint32_t point) {
  const auto push = [&out](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (point < 0x80) {
    push(point);
  } else if (point < 0x800) {
    push(0xC0 | point >> 6);
    push(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    push(0xE0 | point >> 12);
    push(0x80 | (point >> 6 & 0x3F));
    push(0x80 | (point & 0x3F));
  } else {
    push(0xF0 | point >> 18);
    push(0x80 | (point >> 12 & 0x3F));
    push(0x80 | (point >> 6 & 0x3F));
    push(0x80 | (point & 0x3F));
  }
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Decoded decoded = decode_at(text, at);
    if (!decoded.valid) return false;
    at += decoded.bytes;
  }
  return true;
}

std::string repaired_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Decoded decoded = decode_at(text, at);
    if (decoded.valid)
      out.append(text.substr(at, decoded.bytes));
    else
      append_utf8(out, kReplacement);
    at += decoded.bytes;
  }
  return out;
}

}  // namespace codicil::model
