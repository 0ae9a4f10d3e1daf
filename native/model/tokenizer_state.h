// What a tokenizer holds, private to tokenizer.cc (texts to tokens) and tokenizer_load.cc (file to tables).
//
// Two kinds of vocabulary share one machine: symbols, and a table that says which two of them become which third, in what order. Byte-level
// BPE starts from bytes and has its merges in the file; SentencePiece (tokenizer.ggml.model = "llama") starts from characters, joins whatever
// gives a piece, best score first, and spells what is no piece in bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "native/model/tokenizer.h"
#include "native/model/tokenizer_split.h"

namespace codicil::model {

inline constexpr std::uint32_t kNoRank = 0xFFFFFFFF;
inline constexpr std::uint32_t kSpacePoint = 0x2581;
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581 in UTF-8, which pieces have in the place of a space

inline std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 32)) * 0x9E3779B97F4A7C15ull;
  return value ^ (value >> 29);
}

struct Merge {
  std::uint32_t rank = kNoRank;
  Token result = -1;
};

// Pairs of symbols -> merge. Open addressing at half load: one or two cache lines a look-up.
class MergeTable {
 public:
  void reserve(std::size_t count) {
    slots_.assign(std::bit_ceil(std::max<std::size_t>(count * 2, 16)), {});
    mask_ = slots_.size() - 1;
  }
  void insert(Token left, Token right, Merge merge) {  // the first rank of a pair counts
    Slot& slot = slots_[find(key(left, right))];
    if (slot.key != kEmpty) return;
    slot = {key(left, right), merge};
    if (++count_ * 2 > slots_.size()) grow();
  }
  Merge operator()(Token left, Token right) const { return slots_[find(key(left, right))].merge; }

 private:
  static constexpr std::uint64_t kEmpty = ~0ull;
  struct Slot {
    std::uint64_t key = kEmpty;
    Merge merge;
  };
  static std::uint64_t key(Token left, Token right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
  }
  std::size_t find(std::uint64_t wanted) const {
    std::size_t at = mixed(wanted) & mask_;
    while (slots_[at].key != wanted && slots_[at].key != kEmpty) at = (at + 1) & mask_;
    return at;
  }
  void grow() {
    const std::vector<Slot> old = std::move(slots_);
    reserve(old.size());
    for (const Slot& slot : old)
      if (slot.key != kEmpty) slots_[find(slot.key)] = slot;
  }
  std::vector<Slot> slots_;
  std::size_t mask_ = 0, count_ = 0;
};

enum class Kind : std::uint8_t { word, user, control, byte, silent };  // byte: of a SentencePiece; silent: unused, has no text

std::string encoded(std::string_view bytes);  // in GPT-2's printable alphabet

struct Tokenizer::State {
  PreTokenizer pre = PreTokenizer::gpt2;
  bool whole_words = false;                         // llama-bpe: a word that is in the vocabulary is not merged
  bool pieces = false;                              // SentencePiece
  bool space_prefix = true;                         // pieces: a space is put before a text, and before what follows a special token
  bool pieces_begin_words = true;                   // pieces: none has a space mark behind another character, so words can be joined one by one
  std::deque<std::string> texts;                    // [vocab + extra] as the file writes them; a deque: the views below stay
  std::vector<std::string> bytes;                   // [vocab] what a token stands for
  std::vector<Kind> kinds;                          // [vocab]
  std::unordered_map<std::string_view, Token> ids;  // text -> token, or -> vocab + n for halves of merges that are no token
  std::array<Token, 256> byte_symbols{};            // byte -> symbol; pieces: byte -> token, -1: none
  Token unknown = -1;                               // pieces: for a character that can not be spelled in bytes
  MergeTable merges;
  std::vector<Token> specials;                            // control and user-defined, longest text first, then lowest id
  std::array<std::vector<Token>, 256> specials_by_first;  // the same by first byte

  std::int64_t vocab() const { return static_cast<std::int64_t>(kinds.size()); }
  Token intern(std::string_view text) {
    const auto found = ids.find(text);
    if (found != ids.end()) return found->second;
    texts.emplace_back(text);
    const auto id = static_cast<Token>(texts.size() - 1);
    ids.emplace(texts.back(), id);
    return id;
  }

  Status load(const Gguf& gguf);
  Status load_tokens(const Gguf& gguf);
  Status load_merges(const Gguf& gguf);
  Status score_merges(const Gguf& gguf);  // pieces
  Status load_pre_tokenizer(const Gguf& gguf);
  Token find_byte(int byte);
  Token find_symbol(std::string_view text);
  void emit(Token symbol, std::vector<Token>& out) const;
  void merge_short(std::vector<Token>& symbols) const;
  void merge_long(std::vector<Token>& symbols) const;
  void merge(std::vector<Token>& symbols) const;
  void encode_word(std::string_view word, std::vector<Token>& symbols, std::vector<Token>& out) const;
  void encode_piece(std::string_view word, std::vector<Token>& symbols, std::vector<Token>& out) const;
  void spell(std::string_view character, std::vector<Token>& out) const;
  std::vector<std::uint32_t> piece_ends(const CharText& text) const;
  void encode_plain(std::string_view text, std::vector<Token>& out) const;
  void encode(std::string_view text, bool special, std::vector<Token>& out) const;
};

}  // namespace codicil::model
