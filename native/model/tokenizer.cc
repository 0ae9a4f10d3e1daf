// Byte pair encoding. A text is cut at special tokens, then into words (tokenizer_split.h); each word is merged byte by byte up.
//
// Words repeat: a small direct-mapped cache per call answers most of them. Short words are merged by scanning for the best pair, long ones
// (a line of dashes, base64) with a heap, so that no text is quadratic. Everything is looked up by id; texts are touched only while loading.
#include "native/model/tokenizer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <queue>

#include "native/model/tokenizer_split.h"
#include "native/model/tokenizer_state.h"
#include "native/model/unicode.h"

namespace codicil::model {
namespace {

constexpr std::size_t kScannedSymbols = 32;        // below that a scan is faster than a heap
constexpr std::size_t kCacheSlots = 16'384;        // 256K tokens of English have about 10,000 different words
constexpr std::size_t kMaxTextBytes = 0x7FFFFFFF;  // offsets inside are 32 bits wide

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = text.size();
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t part = 0;
    std::memcpy(&part, text.data() + at, 8);
    hash = mixed(hash ^ part);
  }
  std::uint64_t rest = 0;
  if (at < text.size()) std::memcpy(&rest, text.data() + at, text.size() - at);
  return mixed(hash ^ rest);
}

std::string with_marks(std::string_view text, bool prefix) {
  std::string out(prefix ? kSpaceMark : std::string_view());
  out.reserve(text.size() + text.size() / 3);
  for (const char byte : text) {
    if (byte == ' ')
      out.append(kSpaceMark);
    else
      out.push_back(byte);
  }
  return out;
}

}  // namespace

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
  merge(symbols);
  for (const Token symbol : symbols) emit(symbol, out);
}

void Tokenizer::State::merge(std::vector<Token>& symbols) const {
  if (symbols.size() <= kScannedSymbols)
    merge_short(symbols);
  else
    merge_long(symbols);
}

// Symbols of a piece are characters; one that no piece knows takes part as a number below -1 and is spelled in bytes.
void Tokenizer::State::encode_piece(std::string_view word, std::vector<Token>& symbols, std::vector<Token>& out) const {
  symbols.clear();
  for (std::size_t at = 0; at < word.size();) {
    const Decoded character = decode_at(word, at);
    const auto found = ids.find(word.substr(at, character.bytes));
    symbols.push_back(found != ids.end() ? found->second : -2 - static_cast<Token>(character.code_point));
    at += character.bytes;
  }
  merge(symbols);
  for (const Token symbol : symbols) {
    if (symbol >= 0 && symbol < vocab()) {
      out.push_back(symbol);
      continue;
    }
    std::string character;
    append_utf8(character, symbol >= 0 ? decode_at(texts[static_cast<std::size_t>(symbol)], 0).code_point : static_cast<std::uint32_t>(-2 - symbol));
    spell(character, out);
  }
}

void Tokenizer::State::spell(std::string_view character, std::vector<Token>& out) const {
  for (const char byte : character) {
    const Token token = byte_symbols[static_cast<std::uint8_t>(byte)];
    if (token >= 0)
      out.push_back(token);
    else if (unknown >= 0)
      return out.push_back(unknown);
  }
}

// Where pieces begin words: runs of space marks and what follows them up to the next. Else the text is one word.
std::vector<std::uint32_t> Tokenizer::State::piece_ends(const CharText& text) const {
  const auto count = static_cast<std::uint32_t>(text.points.size());
  std::vector<std::uint32_t> ends;
  const auto is_mark = [&](std::uint32_t at) { return text.points[at] == kSpacePoint; };
  for (std::uint32_t at = 1; at < count && pieces_begin_words; ++at)
    if (is_mark(at) && !is_mark(at - 1)) ends.push_back(at);
  if (count > 0) ends.push_back(count);
  return ends;
}

void Tokenizer::State::encode_plain(std::string_view given, std::vector<Token>& out) const {
  if (given.empty()) return;
  const std::string marked = pieces ? with_marks(given, space_prefix) : std::string();
  const std::string_view text = pieces ? marked : given;
  const CharText characters(text);
  const std::vector<std::uint32_t> ends = pieces ? piece_ends(characters) : split_words(pre, characters);

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
    if (pieces)
      encode_piece(word, symbols, out);
    else
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
  if (state_->pieces && state_->space_prefix && joined.starts_with(' ')) joined.erase(0, 1);  // the one that encode() put there
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
