// Pre-tokenizers: where a text is cut into words before byte pairs are merged. Regular expressions written out by hand.
//
// Owns: the five splitters. Each is its published expression, and gives what llama.cpp's gives. Leaves merging to tokenizer.cc.
// Rule that must stay true: the words cover the text without gaps, in one pass that is linear in the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "native/model/unicode.h"

namespace codicil::model {

enum class PreTokenizer { gpt2, smollm, llama_bpe, qwen2, qwen35 };
std::optional<PreTokenizer> find_pre_tokenizer(std::string_view gguf_name);

// A text taken apart; valid UTF-8 only.
struct CharText {
  std::vector<std::uint32_t> points;   // [chars]
  std::vector<CharClass> classes;      // [chars]
  std::vector<std::uint32_t> offsets;  // [chars + 1] first byte of each character, then the text's length
  explicit CharText(std::string_view utf8);
};

// Index of the character behind each word, ascending; the last is the number of characters.
std::vector<std::uint32_t> split_words(PreTokenizer kind, const CharText& text);

}  // namespace codicil::model
