// The expressions (L letter, N number, M mark, s white space), alternatives in order, the first that matches wins:
//   gpt-2      's|'t|'re|'ve|'m|'ll|'d | ?L+ | ?N+ | ?[^sLN]+ | s+(?!S) | s+
//   smollm     every N on its own, then gpt-2 inside what lies between
//   llama-bpe  (?i)'s|'t|'re|'ve|'m|'ll|'d | [^\r\nLN]?L+ | N{1,3} | ?[^sLN]+[\r\n]* | s*[\r\n]+ | s+(?!S) | s+
//   qwen2      llama-bpe with N instead of N{1,3}
//   qwen35     qwen2 with [LM]+ for L+, and [^sLMN] for [^sLN]
#include "native/model/tokenizer_split.h"

namespace codicil::model {
namespace {

using Index = std::uint32_t;

// A stretch [begin, end) of the text; characters outside have class `none`, as the end of a text has.
class Stretch {
 public:
  Stretch(const CharText& text, Index begin, Index end) : text_(text), begin_(begin), end_(end) {}
  Index begin() const { return begin_; }
  Index end() const { return end_; }
  std::uint32_t point(Index at) const { return at < end_ ? text_.points[at] : 0xFFFFFFFF; }
  CharClass kind(Index at) const { return at < end_ ? text_.classes[at] : CharClass::none; }
  template <typename Test>
  Index run(Index at, const Test& test) const {
    while (at < end_ && test(text_.classes[at])) ++at;
    return at;
  }
  // End of the white space at `at`, less its last character where a word follows: s+(?!S) | s+.
  Index spaces(Index at) const {
    const Index after = run(at, [](CharClass c) { return c == CharClass::space; });
    return after - at > 1 && after < end_ ? after - 1 : after;
  }

 private:
  const CharText& text_;
  Index begin_, end_;
};

std::uint32_t lower(std::uint32_t point) { return point >= 'A' && point <= 'Z' ? point + 32 : point; }

// Length of 's 't 'm 'd 're 've 'll at `at`, or 0.
template <bool any_case>
Index contraction(const Stretch& text, Index at) {
  if (text.point(at) != '\'') return 0;
  const std::uint32_t first = any_case ? lower(text.point(at + 1)) : text.point(at + 1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const std::uint32_t second = any_case ? lower(text.point(at + 2)) : text.point(at + 2);
  return (first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l') ? 3 : 0;
}

Index gpt2_word(const Stretch& text, Index at) {
  if (const Index length = contraction<false>(text, at)) return at + length;
  const Index start = at + (text.point(at) == ' ' ? 1 : 0);
  const CharClass kind = text.kind(start);
  if (kind == CharClass::letter || kind == CharClass::number) return text.run(start, [kind](CharClass c) { return c == kind; });
  if (kind == CharClass::other || kind == CharClass::mark)
    return text.run(start, [](CharClass c) { return c == CharClass::other || c == CharClass::mark; });
  return text.spaces(at);
}

template <int digits, bool marks>
Index llama_word(const Stretch& text, Index at) {
  const auto in_word = [](CharClass c) { return c == CharClass::letter || (marks && c == CharClass::mark); };
  const auto is_symbol = [](CharClass c) { return c == CharClass::other || (!marks && c == CharClass::mark); };
  const auto is_break = [&](Index i) { return text.point(i) == '\r' || text.point(i) == '\n'; };

  if (const Index length = contraction<true>(text, at)) return at + length;
  const CharClass kind = text.kind(at);
  if (!is_break(at) && kind != CharClass::number && (in_word(kind) || in_word(text.kind(at + 1)))) return text.run(at + 1, in_word);
  if (kind == CharClass::number) {
    Index end = at + 1;
    while (end < at + digits && text.kind(end) == CharClass::number) ++end;
    return end;
  }
  const Index start = at + (text.point(at) == ' ' ? 1 : 0);
  if (is_symbol(text.kind(start))) {
    Index end = text.run(start, is_symbol);
    while (is_break(end)) ++end;
    return end;
  }
  Index last_break = 0, end = at;
  for (; text.kind(end) == CharClass::space; ++end)
    if (is_break(end)) last_break = end + 1;
  return last_break > 0 ? last_break : text.spaces(at);
}

template <typename Word>
void split_stretch(const Stretch& text, std::vector<Index>& ends, const Word& word) {
  for (Index at = text.begin(); at < text.end();) {
    at = word(text, at);
    ends.push_back(at);
  }
}

}  // namespace

std::optional<PreTokenizer> find_pre_tokenizer(std::string_view name) {
  if (name == "gpt-2") return PreTokenizer::gpt2;
  if (name == "smollm") return PreTokenizer::smollm;
  if (name == "llama-bpe" || name == "llama3" || name == "llama-v3") return PreTokenizer::llama_bpe;
  if (name == "qwen2" || name == "deepseek-r1-qwen") return PreTokenizer::qwen2;
  if (name == "qwen35") return PreTokenizer::qwen35;
  return std::nullopt;
}

CharText::CharText(std::string_view utf8) {
  points.reserve(utf8.size());
  classes.reserve(utf8.size());
  offsets.reserve(utf8.size() + 1);
  for (std::size_t at = 0; at < utf8.size();) {
    const Decoded decoded = decode_at(utf8, at);
    points.push_back(decoded.code_point);
    classes.push_back(class_of(decoded.code_point));
    offsets.push_back(static_cast<std::uint32_t>(at));
    at += decoded.bytes;
  }
  offsets.push_back(static_cast<std::uint32_t>(utf8.size()));
}

std::vector<std::uint32_t> split_words(PreTokenizer kind, const CharText& text) {
  std::vector<Index> ends;
  const auto count = static_cast<Index>(text.points.size());
  ends.reserve(count / 4 + 1);
  const Stretch whole(text, 0, count);
  switch (kind) {
    case PreTokenizer::gpt2:
      split_stretch(whole, ends, gpt2_word);
      break;
    case PreTokenizer::llama_bpe:
      split_stretch(whole, ends, llama_word<3, false>);
      break;
    case PreTokenizer::qwen2:
      split_stretch(whole, ends, llama_word<1, false>);
      break;
    case PreTokenizer::qwen35:
      split_stretch(whole, ends, llama_word<1, true>);
      break;
    case PreTokenizer::smollm:
      for (Index at = 0; at < count;) {
        const bool number = text.classes[at] == CharClass::number;
        const Index end = number ? at + 1 : whole.run(at, [](CharClass c) { return c != CharClass::number; });
        split_stretch(Stretch(text, at, end), ends, gpt2_word);
        at = end;
      }
      break;
  }
  return ends;
}

}  // namespace codicil::model
