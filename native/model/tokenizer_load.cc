// File to tables: what a tokenizer needs out of GGUF metadata, and the sentences for what is missing there.
#include <algorithm>
#include <array>
#include <functional>

#include "native/model/tokenizer_names.h"
#include "native/model/tokenizer_state.h"
#include "native/model/unicode.h"

namespace codicil::model {
namespace {

// GPT-2's printable alphabet: bytes that are visible in Latin-1 stand for themselves, the 68 others for U+0100 onwards.
struct ByteAlphabet {
  std::array<std::uint32_t, 256> point_of{};
  std::array<std::int16_t, 512> byte_of{};
  ByteAlphabet() {
    byte_of.fill(-1);
    std::uint32_t next = 256;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const bool visible = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      point_of[byte] = visible ? byte : next++;
      byte_of[point_of[byte]] = static_cast<std::int16_t>(byte);
    }
  }
};
const ByteAlphabet& alphabet() {
  static const ByteAlphabet instance;
  return instance;
}

// What the token's text stands for; characters outside the alphabet stand for themselves.
std::string decoded(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded character = decode_at(text, at);
    const std::int16_t byte = character.code_point < 512 ? alphabet().byte_of[character.code_point] : std::int16_t{-1};
    if (byte >= 0)
      bytes.push_back(static_cast<char>(byte));
    else
      bytes.append(text.substr(at, character.bytes));
    at += character.bytes;
  }
  return bytes;
}

std::string with_spaces(std::string_view piece) {
  std::string bytes;
  for (std::size_t at = 0; at < piece.size();) {
    const bool mark = piece.substr(at).starts_with(kSpaceMark);
    bytes.push_back(mark ? ' ' : piece[at]);
    at += mark ? kSpaceMark.size() : 1;
  }
  return bytes;
}

// gguf.md: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte.
Kind kind_of(std::int64_t type, std::string_view text, bool pieces) {
  if (type == 2 || type == 3 || is_control_text(text)) return Kind::control;
  if (type == 4) return Kind::user;
  if (type == 1) return Kind::word;
  return type == 6 && pieces ? Kind::byte : Kind::silent;
}

}  // namespace

std::string encoded(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) append_utf8(text, alphabet().point_of[static_cast<std::uint8_t>(byte)]);
  return text;
}

Status Tokenizer::State::load(const Gguf& gguf) {
  const auto model = gguf.string("tokenizer.ggml.model");
  if (!model.ok()) return model.status();
  pieces = model.value() == "llama";
  if (!pieces && model.value() != "gpt2")
    return Status(Code::model_unsupported, "Byte-level BPE (gpt2) or SentencePiece (llama) was expected in tokenizer.ggml.model, \"" + model.value() +
                                               "\" was found. This build does not run such models: choose a Llama, Qwen or SmolLM2 model.");
  if (Status status = pieces ? Status() : load_pre_tokenizer(gguf); !status.ok()) return status;
  if (Status status = load_tokens(gguf); !status.ok()) return status;
  if (!pieces) return load_merges(gguf);
  if (const GgufValue* prefix = gguf.find("tokenizer.ggml.add_space_prefix")) space_prefix = prefix->boolean().value_or(true);
  return score_merges(gguf);
}

Status Tokenizer::State::load_pre_tokenizer(const Gguf& gguf) {
  const auto name = gguf.string("tokenizer.ggml.pre", std::string("gpt-2"));
  if (!name.ok()) return name.status();
  const auto found = find_pre_tokenizer(name.value());
  if (!found)
    return Status(Code::model_unsupported, "A pre-tokenizer out of gpt-2, smollm, llama-bpe, qwen2, qwen35 was expected in tokenizer.ggml.pre, \"" +
                                               name.value() + "\" was found. Text would be cut wrongly: choose another model.");
  pre = *found;
  whole_words = pre == PreTokenizer::llama_bpe;
  return {};
}

Status Tokenizer::State::load_tokens(const Gguf& gguf) {
  const GgufValue* tokens = gguf.find("tokenizer.ggml.tokens");
  const GgufValue* types = gguf.find("tokenizer.ggml.token_type");
  if (tokens == nullptr || tokens->strings().empty() || tokens->strings().size() > 0x3FFFFFFF)
    return Status(Code::model_invalid,
                  "An array of token texts was expected in tokenizer.ggml.tokens and is not there. Get a complete conversion of the model.");
  const std::size_t count = tokens->strings().size();
  std::vector<std::int64_t> type_of = types != nullptr ? types->integers() : std::vector<std::int64_t>(count, 1);
  if (type_of.size() != count)
    return Status(Code::model_invalid, "As many token types as tokens (" + std::to_string(count) + ") were expected in tokenizer.ggml.token_type, " +
                                           std::to_string(type_of.size()) + " were found. Get another conversion of the model.");

  kinds.resize(count);
  bytes.resize(count);
  ids.reserve(count + 1024);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view given = tokens->strings()[i];
    texts.emplace_back(given.empty() ? "[EMPTY_" + std::to_string(i) + "]" : std::string(given));
    const std::string& text = texts.back();
    if (!ids.emplace(text, static_cast<Token>(i)).second)
      return Status(Code::model_invalid, "Different texts were expected in tokenizer.ggml.tokens, element " + std::to_string(i) +
                                             " repeats an earlier one. Get another conversion of the model.");
    kinds[i] = kind_of(type_of[i], text, pieces);
    if (type_of[i] == 2) unknown = static_cast<Token>(i);
    if (kinds[i] == Kind::control || kinds[i] == Kind::user) {
      bytes[i] = text;
      specials.push_back(static_cast<Token>(i));
    } else if (kinds[i] == Kind::word) {
      bytes[i] = pieces ? with_spaces(text) : decoded(text);
    }
  }
  std::stable_sort(specials.begin(), specials.end(),
                   [&](Token a, Token b) { return texts[static_cast<std::size_t>(a)].size() > texts[static_cast<std::size_t>(b)].size(); });
  for (const Token id : specials) specials_by_first[static_cast<std::uint8_t>(texts[static_cast<std::size_t>(id)][0])].push_back(id);
  for (int byte = 0; byte < 256; ++byte) {
    const char value = static_cast<char>(byte);
    byte_symbols[static_cast<std::size_t>(byte)] = pieces ? find_byte(byte) : intern(encoded({&value, 1}));
  }
  return {};
}

// The token <0xHH>, which stands for one byte; -1: the vocabulary has none.
Token Tokenizer::State::find_byte(int byte) {
  constexpr char kHex[] = "0123456789ABCDEF";
  const auto found = ids.find(std::string("<0x") + kHex[byte / 16] + kHex[byte % 16] + ">");
  if (found == ids.end() || kinds[static_cast<std::size_t>(found->second)] != Kind::byte) return -1;
  bytes[static_cast<std::size_t>(found->second)] = std::string(1, static_cast<char>(byte));
  return found->second;
}

Status Tokenizer::State::load_merges(const Gguf& gguf) {
  const GgufValue* value = gguf.find("tokenizer.ggml.merges");
  if (value == nullptr || !value->is_array() || value->strings().size() != value->array_size())
    return Status(Code::model_invalid,
                  "An array of merges was expected in tokenizer.ggml.merges and is not there. Get a complete conversion of the model.");
  const std::span<const std::string_view> list = value->strings();
  merges.reserve(list.size());
  std::string joined;
  for (std::size_t rank = 0; rank < list.size(); ++rank) {
    const std::string_view rule = list[rank];
    const std::size_t space = rule.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == rule.size())
      return Status(Code::model_invalid, "Two parts with a space between were expected in element " + std::to_string(rank) +
                                             " of tokenizer.ggml.merges. Get another conversion of the model.");
    joined.assign(rule.substr(0, space)).append(rule.substr(space + 1));
    const Token left = intern(rule.substr(0, space)), right = intern(rule.substr(space + 1));
    merges.insert(left, right, {static_cast<std::uint32_t>(rank), intern(joined)});
  }
  return {};
}

// Two symbols are joined where their texts together are a piece; pieces of higher score first, from the left. So every way of cutting a
// piece in two is a merge, and its rank that of the score. A piece that would be a control token or the name of a byte is never made.
Status Tokenizer::State::score_merges(const Gguf& gguf) {
  const GgufValue* value = gguf.find("tokenizer.ggml.scores");
  const std::vector<double> scores = value == nullptr ? std::vector<double>() : value->numbers();
  if (scores.size() != kinds.size())
    return Status(Code::model_invalid, "A score of each of the " + std::to_string(kinds.size()) + " tokens was expected in tokenizer.ggml.scores, " +
                                           std::to_string(scores.size()) + " were found. Get a complete conversion of the model.");
  std::vector<double> order = scores;
  std::sort(order.begin(), order.end(), std::greater<>());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  merges.reserve(4 * kinds.size());  // pieces are some five characters long; the table grows for longer ones
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] != Kind::word && kinds[i] != Kind::user) continue;
    const std::string& text = texts[i];
    const auto rank = static_cast<std::uint32_t>(std::lower_bound(order.begin(), order.end(), scores[i], std::greater<>()) - order.begin());
    for (std::size_t at = decode_at(text, 0).bytes; at < text.size(); at += decode_at(text, at).bytes) {
      const std::string_view left = std::string_view(text).substr(0, at), right = std::string_view(text).substr(at);
      const Token a = find_symbol(left), b = find_symbol(right);
      if (a >= 0 && b >= 0) merges.insert(a, b, {rank, static_cast<Token>(i)});
      if (right.starts_with(kSpaceMark) && !left.ends_with(kSpaceMark)) pieces_begin_words = false;
    }
  }
  return {};
}

// The symbol of a text that merging can reach: a piece, or a single character.
Token Tokenizer::State::find_symbol(std::string_view text) {
  if (const auto found = ids.find(text); found != ids.end()) return found->second;
  return decode_at(text, 0).bytes == text.size() ? intern(text) : -1;
}

}  // namespace codicil::model
