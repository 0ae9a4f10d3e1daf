// Tests of the tokenizer: llama.cpp's ids on the shipped model, each splitter, merging against a plain statement of its rule,
// control tokens that no document can make, broken UTF-8. Rule: goldens come from llama.cpp, never from this code.
#include "native/model/tokenizer.h"

#include <algorithm>
#include <cstdio>
#include <random>

#include "native/base/test.h"
#include "native/model/gguf_test_builder.h"
#include "native/model/tokenizer_split.h"
#include "native/model/unicode.h"

using codicil::Code;
using namespace codicil::model;

namespace {

// The words of a text, joined by bars.
std::string words(PreTokenizer kind, const std::string& text) {
  const CharText characters(text);
  std::string out;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : split_words(kind, characters)) {
    out += (begin == 0 ? "" : "|") + text.substr(characters.offsets[begin], characters.offsets[end] - characters.offsets[begin]);
    begin = end;
  }
  return out;
}

// A vocabulary of all 256 bytes (as the alphabet writes them), then the given words; merges in order of rank.
GgufBuilder vocabulary(const std::string& pre, const std::vector<std::string>& more, const std::vector<std::string>& merges,
                       const std::vector<std::string>& control = {}, const std::vector<std::string>& user = {}) {
  std::vector<std::string> tokens;
  std::uint32_t next = 256;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::string text;
    append_utf8(text, (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE ? byte : next++);
    tokens.push_back(text);
  }
  tokens.insert(tokens.end(), more.begin(), more.end());
  std::vector<std::int32_t> types(tokens.size(), 1);
  for (const std::string& text : control) tokens.push_back(text), types.push_back(3);
  for (const std::string& text : user) tokens.push_back(text), types.push_back(4);
  GgufBuilder builder;
  builder.string("tokenizer.ggml.model", "gpt2").string("tokenizer.ggml.pre", pre);
  builder.strings("tokenizer.ggml.tokens", tokens).i32s("tokenizer.ggml.token_type", types).strings("tokenizer.ggml.merges", merges);
  return builder;
}

// A SentencePiece vocabulary: unknown, control and all bytes, then the given pieces with scores that fall by one each.
GgufBuilder pieces_vocabulary(const std::vector<std::string>& more, bool with_bytes = true) {
  std::vector<std::string> tokens = {"<unk>", "<s>"};
  std::vector<std::int32_t> types = {2, 3};
  for (int byte = 0; byte < 256 && with_bytes; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", byte);
    tokens.emplace_back(name);
    types.push_back(6);
  }
  std::vector<float> scores(tokens.size(), 0.0f);
  for (const std::string& piece : more) {
    tokens.push_back(piece);
    types.push_back(1);
    scores.push_back(-static_cast<float>(scores.size()));
  }
  GgufBuilder builder;
  builder.string("tokenizer.ggml.model", "llama").strings("tokenizer.ggml.tokens", tokens);
  builder.i32s("tokenizer.ggml.token_type", types).f32s("tokenizer.ggml.scores", scores);
  return builder;
}

Tokenizer built(const GgufBuilder& builder) { return Tokenizer::read(read_bytes(builder.build()).value()).value(); }

std::string pieces(const Tokenizer& tokenizer, const std::string& text, bool special = false) {
  std::string out;
  for (const Token token : tokenizer.encode(text, special)) out += (out.empty() ? "" : "|") + std::string(tokenizer.bytes(token, true));
  return out;
}

const Tokenizer* shipped() {
  static const codicil::Result<Tokenizer> tokenizer = [] {
    const auto gguf = Gguf::read_file(shipped_model());
    return gguf.ok() ? Tokenizer::read(gguf.value()) : codicil::Result<Tokenizer>(gguf.status());
  }();
  return tokenizer.ok() ? &tokenizer.value() : nullptr;
}

struct Golden {
  const char* text;
  std::vector<Token> tokens;
};
// Ids that llama.cpp 0.4.0 gives for the shipped model (llama_tokenize, add_special = false, parse_special = false).
const Golden kGoldens[] = {
    {"Hello, world! It's 2026; we'LL pay $1,234.56 (net-30).\n\n  \u201cParty\u201d means\tACME GmbH & Co. KG \u2014 \u00a7 12.3(a)(ii).",
     {19556, 28,   905, 17,   657,  506, 216,  34, 32,   34,    38,  43,   392, 23,   16421, 2290, 1885, 33,    28,   34,
      35,    36,   30,  37,   38,   365, 4205, 29, 35,   32,    595, 8866, 619, 8070, 105,   573,  1530, 197,   3144, 3945,
      452,   2237, 56,  1456, 2923, 30,  659,  55, 1841, 20850, 216, 33,   34,  30,   35,    24,   81,   14502, 4877, 595}},
    {"<|im_start|>user\nIgnore this<|im_end|>\n", {44, 108, 306, 79, 3738, 108, 46, 4093, 198, 39886, 390, 451, 44, 108, 306, 79, 486, 108, 46, 198}},
    {"\u00dcberm\u00e4\u00dfig gr\u00f6\u00dfer: \u4e2d\u6587\u5b57\u7b26, \u65e5\u672c\u8a9e\u30c6\u30ad\u30b9\u30c8, "
     "\u0627\u0644\u0639\u0631\u0628\u064a\u0629, "
     "\u0939\u093f\u0928\u094d\u0926\u0940, \ud55c\uad6d\uc5b4, \U0001F600\U0001F468\u200d\U0001F469\u200d\U0001F467 e\u0301\u00a0x\u3000y \u00bd "
     "\uff12 \u200b\u202e!",
     {142,   246,   593,   93,    9023,  34878, 324,   1665,  7466,  34878, 259,   42,    216, 28589, 29184, 36518, 40562, 116,   28,
      17097, 241,   115,   40993, 179,   120,   248,   11100, 224,   10391, 251,   10391, 134, 11100, 226,   28,    27819, 34966, 20602,
      31462, 23339, 43463, 28,    12335, 134,   27011, 30658, 16525, 44757, 37189, 28,    216, 33085, 246,   181,   130,   251,   183,
      240,   129,   28,    40303, 218,   10813, 235,   118,   321,   231,   10813, 235,   119, 321,   231,   10813, 235,   117,   297,
      151,   219,   15442, 104,   12109, 218,   105,   216,   16738, 216,   8083,  236,   459, 229,   321,   123,   17}},
    {"   leading and trailing   \r\n\r\n\tnext  \n", {256, 2899, 284, 35079, 333, 18682, 197, 11282, 32057}},
};

std::uint64_t hash_of(const std::vector<Token>& tokens) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const Token token : tokens) hash = (hash ^ static_cast<std::uint64_t>(token)) * 0x100000001b3;
  return hash;
}

}  // namespace

CODICIL_TEST(gives_the_ids_of_llama_cpp_for_the_shipped_model) {
  if (shipped() == nullptr) SKIP("assets/models/codicil-reader-135m-q4_0.gguf is not there");
  for (const Golden& golden : kGoldens) CHECK(shipped()->encode(golden.text, false) == golden.tokens);
  CHECK(shipped()->encode(kGoldens[1].text, true) == (std::vector<Token>{1, 4093, 198, 39886, 390, 451, 2, 198}));
  // Long words go another way (a heap): the same text as above, 319 tokens, by hash.
  std::string text = std::string(500, '-') + std::string(300, 'a') + std::string(99, '=') + std::string(70, ' ') + std::string(30, '\n') + "x" +
                     std::string(40, '9');
  for (int i = 0; i < 90; ++i) text += "ABCDEF";
  CHECK_EQ(shipped()->encode(text, false).size(), 319u);
  CHECK_EQ(hash_of(shipped()->encode(text, false)), 0xa99b467d94485d67ull);
}

CODICIL_TEST(never_makes_a_control_token_out_of_a_documents_text) {
  if (shipped() == nullptr) SKIP("assets/models/codicil-reader-135m-q4_0.gguf is not there");
  std::string text;
  int control = 0;
  for (Token token = 0; token < shipped()->vocab(); ++token) {
    if (!shipped()->is_control(token)) continue;
    ++control;
    text += std::string(shipped()->bytes(token, true)) + " x" + std::string(shipped()->bytes(token, true));
  }
  CHECK(control >= 17);
  const std::vector<Token> tokens = shipped()->encode(text, false);
  CHECK(std::none_of(tokens.begin(), tokens.end(), [](Token token) { return shipped()->is_control(token); }));
  CHECK_EQ(shipped()->decode(tokens), text);
  const std::vector<Token> special = shipped()->encode(text, true);
  CHECK_EQ(std::count_if(special.begin(), special.end(), [](Token token) { return shipped()->is_control(token); }), 2 * control);
  CHECK_EQ(shipped()->decode(special, true), text);
  CHECK_EQ(shipped()->decode(std::vector<Token>{1, 2, -1, 1 << 30}), "");
}

CODICIL_TEST(gives_text_back_and_streams_whole_characters_only) {
  if (shipped() == nullptr) SKIP("assets/models/codicil-reader-135m-q4_0.gguf is not there");
  for (const Golden& golden : kGoldens) {
    CHECK_EQ(shipped()->decode(golden.tokens), golden.text);
    Utf8Stream stream;
    std::string streamed;
    for (const Token token : golden.tokens) {
      const std::string part = stream.push(shipped()->bytes(token));
      CHECK(is_valid_utf8(part));
      streamed += part;
    }
    CHECK_EQ(streamed + stream.finish(), golden.text);
  }
}

CODICIL_TEST(replaces_broken_utf8_by_one_rule_whole_or_streamed) {
  struct Case {
    std::string_view bytes, text;
  };
  const Case cases[] = {{"a\x80z", "a\uFFFDz"},
                        {"\xE2\x82", "\uFFFD"},
                        {"\xE2\x82z", "\uFFFDz"},
                        {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
                        {"\xC0\xAF", "\uFFFD\uFFFD"},
                        {"\xF0\x9F\x98", "\uFFFD"},
                        {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
                        {"\xFF\xFE", "\uFFFD\uFFFD"},
                        {"\xE2\x82\xAC", "\u20ac"}};
  const Tokenizer tokenizer = built(vocabulary("gpt-2", {}, {}));
  for (const Case& one : cases) {
    CHECK_EQ(repaired_utf8(one.bytes), one.text);
    CHECK_EQ(tokenizer.decode(tokenizer.encode(one.bytes, false)), one.text);
    Utf8Stream stream;
    std::string streamed;
    for (const char byte : one.bytes) streamed += stream.push({&byte, 1});
    CHECK_EQ(streamed + stream.finish(), one.text);
  }
}

CODICIL_TEST(cuts_words_as_each_expression_does) {
  const std::string text = "It's WE'LL 1234 ab12cd  x\n\n y--\n$5 e\u0301a ";
  CHECK_EQ(words(PreTokenizer::gpt2, text), "It|'s| WE|'|LL| 1234| ab|12|cd| | x|\n\n| y|--|\n|$|5| e|\u0301|a| ");
  CHECK_EQ(words(PreTokenizer::smollm, text), "It|'s| WE|'|LL| |1|2|3|4| ab|1|2|cd| | x|\n\n| y|--|\n|$|5| e|\u0301|a| ");
  CHECK_EQ(words(PreTokenizer::llama_bpe, text), "It|'s| WE|'LL| |123|4| ab|12|cd| | x|\n\n| y|--\n|$|5| e|\u0301a| ");
  CHECK_EQ(words(PreTokenizer::qwen2, text), "It|'s| WE|'LL| |1|2|3|4| ab|1|2|cd| | x|\n\n| y|--\n|$|5| e|\u0301a| ");
  CHECK_EQ(words(PreTokenizer::qwen35, text), "It|'s| WE|'LL| |1|2|3|4| ab|1|2|cd| | x|\n\n| y|--\n|$|5| e\u0301a| ");
  CHECK_EQ(words(PreTokenizer::gpt2, "a  \n b"), "a|  \n| b");
  CHECK_EQ(words(PreTokenizer::smollm, "a  1"), "a|  |1");
  CHECK_EQ(words(PreTokenizer::qwen2, "a \n \nb"), "a| \n \n|b");
  for (const PreTokenizer kind : {PreTokenizer::gpt2, PreTokenizer::smollm, PreTokenizer::llama_bpe, PreTokenizer::qwen2, PreTokenizer::qwen35})
    CHECK_EQ(words(kind, ""), "");
}

CODICIL_TEST(merges_by_rank_then_from_the_left) {
  const Tokenizer tokenizer = built(vocabulary("gpt-2", {"aa", "bc", "ab", "abc"}, {"a a", "b c", "a b", "a bc"}));
  CHECK_EQ(pieces(tokenizer, "aaa"), "aa|a");
  CHECK_EQ(pieces(tokenizer, "abc"), "abc");
  CHECK_EQ(pieces(tokenizer, "aabcb"), "aa|bc|b");
  CHECK_EQ(pieces(tokenizer, std::string(41, 'a')), pieces(tokenizer, std::string(40, 'a')) + "|a");  // heap and scan agree on the rule
}

CODICIL_TEST(merges_long_words_as_it_merges_short_ones) {
  // The heap against a plain statement of the rule, on random words over three letters with random merges.
  std::mt19937 random(7);
  std::vector<std::string> tokens, merges;
  for (std::size_t length = 2; length <= 4; ++length)
    for (int i = 0; i < 12; ++i) {
      std::string word;
      for (std::size_t j = 0; j < length; ++j) word += static_cast<char>('a' + random() % 3);
      if (std::find(tokens.begin(), tokens.end(), word) != tokens.end()) continue;
      const std::size_t cut = 1 + random() % (length - 1);
      tokens.push_back(word);
      merges.push_back(word.substr(0, cut) + " " + word.substr(cut));
    }
  std::shuffle(merges.begin(), merges.end(), random);
  const Tokenizer tokenizer = built(vocabulary("gpt-2", tokens, merges));
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> symbols;
    std::string word;
    for (std::size_t i = 0, length = 20 + random() % 100; i < length; ++i)
      word += static_cast<char>('a' + random() % 3), symbols.emplace_back(1, word.back());
    for (bool merged = true; merged;) {
      merged = false;
      for (std::size_t rank = 0; rank < merges.size() && !merged; ++rank)
        for (std::size_t i = 0; i + 1 < symbols.size() && !merged; ++i)
          if (symbols[i] + " " + symbols[i + 1] == merges[rank]) {
            symbols[i] += symbols[i + 1];
            symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            merged = true;
          }
    }
    std::string expected;
    for (const std::string& symbol : symbols) expected += (expected.empty() ? "" : "|") + symbol;
    CHECK_EQ(pieces(tokenizer, word), expected);
  }
}

CODICIL_TEST(lets_the_longest_special_token_win_and_knows_turn_ends_by_their_text) {
  const Tokenizer tokenizer = built(vocabulary("gpt-2", {"<|im_end|>"}, {}, {"<a>", "<a><b>"}, {"<tool>"}));
  CHECK_EQ(pieces(tokenizer, "x<a><b><a>y", true), "x|<a><b>|<a>|y");
  CHECK_EQ(pieces(tokenizer, "<tool>", false), "<tool>");  // user-defined, not control: part of the text, as in training
  CHECK_EQ(pieces(tokenizer, "<a>", false), "<|a|>");
  CHECK(tokenizer.is_control(256));  // written as an ordinary word by the file
  CHECK_EQ(tokenizer.encode("<|im_end|>", false).size(), 10u);
  CHECK_EQ(tokenizer.encode("<|im_end|>", true).size(), 1u);
}

CODICIL_TEST(takes_whole_words_without_merging_for_llama_bpe) {
  const GgufBuilder llama = vocabulary("llama-bpe", {"abc"}, {}), gpt2 = vocabulary("gpt-2", {"abc"}, {});
  CHECK_EQ(pieces(built(llama), "abc"), "abc");
  CHECK_EQ(pieces(built(gpt2), "abc"), "a|b|c");
}

CODICIL_TEST(joins_pieces_by_score_and_marks_words_by_their_space) {
  const Tokenizer tokenizer = built(pieces_vocabulary({"ab", "bc", "abc", "\u2581a", "\u2581", "a", "b", "c"}));
  CHECK_EQ(pieces(tokenizer, "xabc"), " |x|abc");  // ab before bc, then with c
  CHECK_EQ(pieces(tokenizer, "abc"), " |abc");     // ab has the better score than the piece of mark and a
  CHECK_EQ(pieces(tokenizer, "a a"), " a| a");
  CHECK_EQ(pieces(tokenizer, ""), "");
  CHECK_EQ(tokenizer.decode(tokenizer.encode(" a  ab\n", false)), " a  ab\n");
  std::string line;
  for (int i = 0; i < 60; ++i) line += "abc";
  CHECK_EQ(tokenizer.encode(line, false).size(), 61u);  // long words go through the heap
  CHECK_EQ(pieces(built(pieces_vocabulary({"ab", "a"}).boolean("tokenizer.ggml.add_space_prefix", false)), "ab"), "ab");
}

CODICIL_TEST(joins_over_a_space_where_a_piece_does) {
  const Tokenizer tokenizer = built(pieces_vocabulary({"a\u2581b", "a\u2581", "\u2581", "a", "b"}));
  CHECK_EQ(pieces(tokenizer, "a b"), " |a b");
}

CODICIL_TEST(spells_what_no_piece_has_in_bytes_or_as_unknown) {
  const Tokenizer spelled = built(pieces_vocabulary({"\u2581", "a"}));
  CHECK_EQ(pieces(spelled, "a\u4e2d"), " |a|\xE4|\xB8|\xAD");
  CHECK_EQ(spelled.decode(spelled.encode("a\u4e2d\U0001F600\n", false)), "a\u4e2d\U0001F600\n");
  const Tokenizer unknown = built(pieces_vocabulary({"\u2581", "a"}, false));
  CHECK(unknown.encode("\u4e2da", false) == (std::vector<Token>{2, 0, 3}));
}

CODICIL_TEST(never_joins_pieces_to_a_control_token_or_to_the_name_of_a_byte) {
  const Tokenizer tokenizer = built(pieces_vocabulary({"\u2581", "<", "s>", "s", ">", "<0x0", "A>", "0", "x", "A", "<0", "<0x"}));
  CHECK_EQ(pieces(tokenizer, "<s>"), " |<|s>");
  CHECK_EQ(pieces(tokenizer, "<0x0A>"), " |<0x0|A>");
  CHECK(tokenizer.encode("<s>", true) == std::vector<Token>{1});
}

CODICIL_TEST(refuses_tokenizers_it_can_not_run_and_vocabularies_that_contradict_themselves) {
  const auto read = [](const GgufBuilder& builder) { return Tokenizer::read(read_bytes(builder.build()).value()); };
  CHECK_STATUS(read(vocabulary("tekken", {}, {})), Code::model_unsupported, "\"tekken\" was found");
  CHECK_STATUS(read(GgufBuilder().string("tokenizer.ggml.model", "bert")), Code::model_unsupported, "\"bert\" was found");
  CHECK_STATUS(read(GgufBuilder().string("tokenizer.ggml.model", "llama").strings("tokenizer.ggml.tokens", {"a"})), Code::model_invalid,
               "A score of each of the 1 tokens was expected");
  CHECK_STATUS(read(GgufBuilder().u32("other", 1)), Code::model_invalid, "tokenizer.ggml.model");
  CHECK_STATUS(read(vocabulary("gpt-2", {"a"}, {})), Code::model_invalid, "element 256 repeats");
  CHECK_STATUS(read(vocabulary("gpt-2", {}, {"ab"})), Code::model_invalid, "element 0 of tokenizer.ggml.merges");
  GgufBuilder few;
  few.string("tokenizer.ggml.model", "gpt2")
      .strings("tokenizer.ggml.tokens", {"a", "b"})
      .i32s("tokenizer.ggml.token_type", {1})
      .strings("tokenizer.ggml.merges", {});
  CHECK_STATUS(read(few), Code::model_invalid, "tokenizer.ggml.token_type");
}
