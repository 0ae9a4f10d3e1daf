// Byte-level BPE and SentencePiece from GGUF metadata, token for token what llama.cpp gives (add_special = false).
//
// Owns: text -> tokens -> text. Pre-tokenizers of BPE: smollm, gpt-2, llama-bpe, qwen2, qwen35; any other is model_unsupported by name.
// Leaves to unicode.h what a letter is, to callers where bos and templates go.
// Rules that must stay true: with special = false no text becomes a control token, whatever it looks like; bytes that are not UTF-8
// become U+FFFD by one fixed rule (unicode.h); encode is const, thread-safe and linear in the text for all practical words.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "native/base/status.h"
#include "native/model/gguf.h"

namespace codicil::model {

using Token = std::int32_t;

class Tokenizer {
 public:
  static Result<Tokenizer> read(const Gguf& gguf);  // model_invalid, model_unsupported; copies what it needs
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  std::int64_t vocab() const;
  // `special`: text such as <|im_end|> becomes its token. False for everything that a document or a person wrote.
  std::vector<Token> encode(std::string_view text, bool special) const;
  // Bytes of the tokens, joined; what is not UTF-8 in the result becomes U+FFFD. Control tokens give their text when `special`, else nothing.
  std::string decode(std::span<const Token> tokens, bool special = false) const;
  // Raw bytes of one token (may be part of a character); empty for control tokens unless `special`, and for ids outside the vocabulary.
  std::string_view bytes(Token token, bool special = false) const;
  bool is_control(Token token) const;
  Token find_token(std::string_view text) const;  // the token whose vocabulary text is exactly this; -1: none

 private:
  struct State;
  explicit Tokenizer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Joins token bytes into whole characters for streaming: a character cut between two tokens comes out with the second one.
class Utf8Stream {
 public:
  std::string push(std::string_view bytes);  // every whole character so far; invalid sequences become U+FFFD at once
  std::string finish();                      // what is left: "" or one U+FFFD

 private:
  std::string pending_;  // at most 3 bytes: the valid beginning of a character
};

}  // namespace codicil::model
