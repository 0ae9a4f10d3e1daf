// Byte pair encoding. A text is cut at special tokens, then into words (tokenizer_split.h); each word is merged byte by byte up.
//
// Words repeat: a small direct-mapped cache per call answers most of them. Short words are merged by scanning for the best pair, long ones
// (a line of dashes, base64) with a heap, so that no text is quadratic. Everything is looked up by id; texts are touched only while loading.
#include "native/model/tokenizer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <limits>
#include <queue>
#include <unordered_map>

#include "native/model/tokenizer_names.h"
#include "native/model/tokenizer_split.h"
#include "native/model/unicode.h"

namespace codicil::model {
namespace {

constexpr std::uint32_t kNoRank = 0xFFFFFFFF;
constexpr std::size_t kScannedSymbols = 32;        // below that a scan is faster than a heap
constexpr std::size_t kCacheSlots = 16'384;        // 256K tokens of English have about 10,000 different words
constexpr std::size_t kMaxTextBytes = 0x7FFFFFFF;  // offsets inside are 32 bits wide

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

std::string encoded(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) append_utf8(text, alphabet().point_of[static_cast<std::uint8_t>(byte)]);
  return text;
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

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 32)) * 0x9E3779B97F4A7C15ull;
  return value ^ (value >> 29);
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = text.size();
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t part = 0;
    std::memcpy(&part, text.data() + at, 8);
    hash = mixed(hash ^ part);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, text.data() + at, text.size() - at);
  return mixed(hash ^ rest);
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
    if (slot.key == kEmpty) slot = {key(left, right), merge};
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
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
};

enum class Kind : std::uint8_t { word, user, control, silent };  // silent: unused and byte tokens, which have no text

}  // namespace

struct Tokenizer::State {
  PreTokenizer pre = PreTokenizer::gpt2;
  bool whole_words = false;                         // llama-bpe: a word that is in the vocabulary is not merged
  std::deque<std::string> texts;                    // [vocab + extra] as the file writes them; a deque: the views below stay
  std::vector<std::string> bytes;                   // [vocab] what a token stands for
  std::vector<Kind> kinds;                          // [vocab]
  std::unordered_map<std::string_view, Token> ids;  // text -> token, or -> vocab + n for halves of merges that are no token
  std::array<Token, 256> byte_symbols{};            // byte -> symbol
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
  Status load_merges(const GgufValue& merges_value);
  void emit(Token symbol, std::vector<Token>& out) const;
  void merge_short(std::vector<Token>& symbols) const;
  void merge_long(std::vector<Token>& symbols) const;
  void encode_word(std::string_view word, std::vector<Token>& symbols, std::vector<Token>& out) const;
  void encode_plain(std::string_view text, std::vector<Token>& out) const;
  void encode(std::string_view text, bool special, std::vector<Token>& out) const;
};

Status Tokenizer::State::load(const Gguf& gguf) {
  const auto model = gguf.string("tokenizer.ggml.model");
  if (!model.ok()) return model.status();
  if (model.value() != "gpt2")
    return Status(Code::model_unsupported, "A byte-level BPE tokenizer (gpt2) was expected in tokenizer.ggml.model, \"" + model.value() +
                                               "\" was found. This build does not run such models: choose a Llama 3, Qwen 2 or SmolLM2 model.");
  const auto name = gguf.string("tokenizer.ggml.pre", std::string("gpt-2"));
  if (!name.ok()) return name.status();
  const auto found = find_pre_tokenizer(name.value());
  if (!found)
    return Status(Code::model_unsupported, "A pre-tokenizer out of gpt-2, smollm, llama-bpe, qwen2, qwen35 was expected in tokenizer.ggml.pre, \"" +
                                               name.value() + "\" was found. Text would be cut wrongly: choose another model.");
  pre = *found;
  whole_words = pre == PreTokenizer::llama_bpe;

  const GgufValue* tokens = gguf.find("tokenizer.ggml.tokens");
  const GgufValue* types = gguf.find("tokenizer.ggml.token_type");
  const GgufValue* merge_list = gguf.find("tokenizer.ggml.merges");
  if (tokens == nullptr || tokens->strings().empty() || tokens->strings().size() > 0x3FFFFFFF)
    return Status(Code::model_invalid,
                  "An array of token texts was expected in tokenizer.ggml.tokens and is not there. Get a complete conversion of the model.");
  if (merge_list == nullptr || !merge_list->is_array() || merge_list->strings().size() != merge_list->array_size())
    return Status(Code::model_invalid,
                  "An array of merges was expected in tokenizer.ggml.merges and is not there. Get a complete conversion of the model.");
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
    // gguf.md: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte.
    const std::int64_t type = type_of[i];
    kinds[i] = type == 2 || type == 3 || is_control_text(text) ? Kind::control : type == 4 ? Kind::user : type == 1 ? Kind::word : Kind::silent;
    if (kinds[i] == Kind::control || kinds[i] == Kind::user) {
      bytes[i] = text;
      specials.push_back(static_cast<Token>(i));
    } else if (kinds[i] == Kind::word) {
      bytes[i] = decoded(text);
    }
  }
  std::stable_sort(specials.begin(), specials.end(),
                   [&](Token a, Token b) { return texts[static_cast<std::size_t>(a)].size() > texts[static_cast<std::size_t>(b)].size(); });
  for (const Token id : specials) specials_by_first[static_cast<std::uint8_t>(texts[static_cast<std::size_t>(id)][0])].push_back(id);
  for (int byte = 0; byte < 256; ++byte) {
    const char value = static_cast<char>(byte);
    byte_symbols[static_cast<std::size_t>(byte)] = intern(encoded({&value, 1}));
  }
  return load_merges(*merge_list);
}

Status Tokenizer::State::load_merges(const GgufValue& merges_value) {
  const std::span<const std::string_view> list = merges_value.strings();
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

// A symbol that is no word (a half of a merge, or the text of a control token) comes out byte by byte. A byte that the vocabulary lacks has no
// token at all and is left out, as llama.cpp does.
void Tokenizer::State::emit(Token symbol, std::vector<Token>& out) const {
  if (symbol < vocab() && kinds[static_cast<std::size_t>(symbol)] != Kind::control) return out.push_back(symbol);
  for (const char byte : texts[static_cast<std::size_t>(symbol)]) {
    if (static_cast<std::uint8_t>(byte) >= 0x80) continue;  // part of a longer character: never a token of its own
    const auto found = ids.find(std::string_view(&byte, 1));
    if (found != ids.end() && found->second < vocab() && kinds[static_cast<std::size_t>(found->second)] != Kind::control)
      out.push_back(found->second);
  }
}

void Tokenizer::State::merge_short(std::vector<Token>& symbols) const {
  std::array<Merge, kScannedSymbols> best{};  // of (i, i + 1)
  std::size_t count = symbols.size();
  for (std::size_t i = 0; i + 1 < count; ++i) best[i] = merges(symbols[i], symbols[i + 1]);
  while (count > 1) {
    std::size_t at = 0;
    for (std::size_t i = 1; i + 1 < count; ++i)
      if (best[i].rank < best[at].rank) at = i;
    if (best[at].rank == kNoRank) break;
    symbols[at] = best[at].result;
    --count;
    for (std::size_t i = at + 1; i < count; ++i) symbols[i] = symbols[i + 1], best[i] = best[i + 1];
    if (at + 1 < count) best[at] = merges(symbols[at], symbols[at + 1]);
    if (at > 0) best[at - 1] = merges(symbols[at - 1], symbols[at]);
  }
  symbols.resize(count);
}

void Tokenizer::State::merge_long(std::vector<Token>& symbols) const {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Pair {
    std::uint32_t rank, left, right;
    Token left_symbol, right_symbol, result;
    bool operator<(const Pair& other) const { return rank != other.rank ? rank > other.rank : left > other.left; }  // the queue gives the largest
  };
  const auto count = static_cast<std::uint32_t>(symbols.size());
  std::vector<std::uint32_t> before(count), after(count);  // neighbours of each symbol that is still there
  for (std::uint32_t i = 0; i < count; ++i) before[i] = i == 0 ? kNone : i - 1, after[i] = i + 1 == count ? kNone : i + 1;
  std::priority_queue<Pair> queue;
  const auto offer = [&](std::uint32_t left, std::uint32_t right) {
    if (left == kNone || right == kNone) return;
    const Merge merge = merges(symbols[left], symbols[right]);
    if (merge.rank != kNoRank) queue.push({merge.rank, left, right, symbols[left], symbols[right], merge.result});
  };
  for (std::uint32_t i = 0; i + 1 < count; ++i) offer(i, i + 1);
  while (!queue.empty()) {
    const Pair pair = queue.top();
    queue.pop();
    if (symbols[pair.left] != pair.left_symbol || symbols[pair.right] != pair.right_symbol) continue;  // one of them has been merged since
    symbols[pair.left] = pair.result;
    symbols[pair.right] = -1;
    after[pair.left] = after[pair.right];
    if (after[pair.right] != kNone) before[after[pair.right]] = pair.left;
    offer(before[pair.left], pair.left);
    offer(pair.left, after[pair.left]);
  }
  symbols.erase(std::remove(symbols.begin(), symbols.end(), -1), symbols.end());
}

void Tokenizer::State::encode_word(std::string_view word, std::vector<Token>& symbols, std::vector<Token>& out) const {
  if (whole_words) {
    const auto found = ids.find(encoded(word));
    if (found != ids.end() && found->second < vocab()) return emit(found->second, out);
  }
  symbols.clear();
  for (const char byte : word) symbols.push_back(byte_symbols[static_cast<std::uint8_t>(byte)]);
  if (symbols.size() <= kScannedSymbols)
    merge_short(symbols);
  else
    merge_long(symbols);
  for (const Token symbol : symbols) emit(symbol, out);
}

void Tokenizer::State::encode_plain(std::string_view text, std::vector<Token>& out) const {
  if (text.empty()) return;
  const CharText characters(text);
  const std::vector<std::uint32_t> ends = split_words(pre, characters);

  struct Slot {
    std::string_view word;
    std::uint32_t first = 0, count = 0;  // its tokens in `out`
  };
  std::vector<Slot> cache(std::bit_ceil(std::clamp<std::size_t>(ends.size() / 2, 1, kCacheSlots)));
  std::vector<Token> symbols;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends) {
    const std::string_view word = text.substr(characters.offsets[begin], characters.offsets[end] - characters.offsets[begin]);
    begin = end;
    Slot& slot = cache[hash_of(word) & (cache.size() - 1)];
    if (slot.word == word) {
      for (std::uint32_t i = 0; i < slot.count; ++i) {
        const Token token = out[slot.first + i];
        out.push_back(token);
      }
      continue;
    }
    const auto first = static_cast<std::uint32_t>(out.size());
    encode_word(word, symbols, out);
    slot = {word, first, static_cast<std::uint32_t>(out.size()) - first};
  }
}

// Special tokens claim their places first: the longest text over the whole input, then the next; what lies between is plain text.
void Tokenizer::State::encode(std::string_view text, bool special, std::vector<Token>& out) const {
  struct Match {
    std::size_t order, begin, end;
    Token id;
  };
  std::vector<Match> matches;
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const Token id : specials_by_first[static_cast<std::uint8_t>(text[at])]) {
      if (!special && kinds[static_cast<std::size_t>(id)] == Kind::control) continue;
      const std::string& name = texts[static_cast<std::size_t>(id)];
      if (text.compare(at, name.size(), name) == 0) matches.push_back({~name.size(), at, at + name.size(), id});
    }
  }
  if (matches.empty()) return encode_plain(text, out);
  std::stable_sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) { return a.order < b.order; });
  std::vector<Match> claimed;  // sorted by place
  for (const Match& match : matches) {
    const auto next =
        std::lower_bound(claimed.begin(), claimed.end(), match.begin, [](const Match& other, std::size_t at) { return other.begin < at; });
    const bool free_behind = next == claimed.end() || next->begin >= match.end;
    const bool free_before = next == claimed.begin() || std::prev(next)->end <= match.begin;
    if (free_behind && free_before) claimed.insert(next, match);
  }
  std::size_t at = 0;
  for (const Match& match : claimed) {
    encode_plain(text.substr(at, match.begin - at), out);
    out.push_back(match.id);
    at = match.end;
  }
  encode_plain(text.substr(at), out);
}

Tokenizer::Tokenizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Result<Tokenizer> Tokenizer::read(const Gguf& gguf) {
  auto state = std::make_unique<State>();
  const Status status = state->load(gguf);
  if (!status.ok()) return status;
  return Tokenizer(std::move(state));
}

std::int64_t Tokenizer::vocab() const { return state_->vocab(); }

std::vector<Token> Tokenizer::encode(std::string_view text, bool special) const {
  std::vector<Token> tokens;
  tokens.reserve(text.size() / 3 + 8);
  text = text.substr(0, kMaxTextBytes);
  if (is_valid_utf8(text))
    state_->encode(text, special, tokens);
  else
    state_->encode(repaired_utf8(text), special, tokens);
  return tokens;
}

std::string_view Tokenizer::bytes(Token token, bool special) const {
  if (token < 0 || token >= vocab()) return {};
  if (state_->kinds[static_cast<std::size_t>(token)] == Kind::control && !special) return {};
  return state_->bytes[static_cast<std::size_t>(token)];
}

std::string Tokenizer::decode(std::span<const Token> tokens, bool special) const {
  std::string joined;
  for (const Token token : tokens) joined.append(bytes(token, special));
  return is_valid_utf8(joined) ? joined : repaired_utf8(joined);
}

bool Tokenizer::is_control(Token token) const {
  return token >= 0 && token < vocab() && state_->kinds[static_cast<std::size_t>(token)] == Kind::control;
}

Token Tokenizer::find_token(std::string_view text) const {
  const auto found = state_->ids.find(text);
  return found != state_->ids.end() && found->second < vocab() ? found->second : -1;
}

std::string Utf8Stream::push(std::string_view bytes) {
  pending_.append(bytes);
  std::string out;
  std::size_t at = 0;
  while (at < pending_.size()) {
    const Decoded decoded = decode_at(pending_, at);
    if (decoded.cut_off) break;
    if (decoded.valid)
      out.append(pending_, at, decoded.bytes);
    else
      append_utf8(out, kReplacement);
    at += decoded.bytes;
  }
  pending_.erase(0, at);
  return out;
}

std::string Utf8Stream::finish() {
  std::string out;
  if (!pending_.empty()) append_utf8(out, kReplacement);
  pending_.clear();
  return out;
}

}  // namespace codicil::model
