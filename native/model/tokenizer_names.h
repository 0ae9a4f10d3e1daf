// Token texts that mean something whatever the file's token types say: some conversions mark turn ends as ordinary words.
// Owns: the two lists, shared by the tokenizer (they are control tokens) and the config (turn ends stop a generation).
#pragma once

#include <string_view>

namespace codicil::model {

// The turn or the text ends here. In the order in which a model's `eot` is looked for when the file does not name it.
inline constexpr std::string_view kEndTexts[] = {
    "<|eot_id|>",         "<|im_end|>", "<|end|>",  "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>", "<EOT>", "_<EOT>", "[EOT]",
    "<end_of_utterance>", "<|return|>", "<|call|>", "<|eom_id|>",    "</s>",          "[EOS]",           "<eos>",
};
// Fill-in-the-middle marks that also end a generation: behind them a model begins another file.
inline constexpr std::string_view kFileTexts[] = {"<|fim_pad|>", "<|repo_name|>", "<|file_sep|>", "<reponame>"};
inline constexpr std::string_view kFillTexts[] = {"<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<fim_prefix>",
                                                  "<fim_middle>",   "<fim_suffix>",   "<reponame>"};

constexpr bool is_end_text(std::string_view text) {
  for (const std::string_view name : kEndTexts)
    if (name == text) return true;
  for (const std::string_view name : kFileTexts)
    if (name == text) return true;
  return false;
}
constexpr bool is_control_text(std::string_view text) {
  for (const std::string_view name : kFillTexts)
    if (name == text) return true;
  return is_end_text(text);
}

}  // namespace codicil::model
