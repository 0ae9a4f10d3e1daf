// engine-cli logits, perplexity: every row of logits of a text, to a file or against one.
#include <algorithm>
#include <fstream>

#include "native/model/perplexity.h"
#include "native/tools/commands.h"

namespace codicil::tools {

namespace {

// Rows that are looked at: all, or every so many (a text of 32,768 tokens over a vocabulary of 152,000 would be 20 GB).
struct Sample {
  explicit Sample(const Arguments& a) : every(std::max<std::int64_t>(1, a.number("--every", 1))) {}
  bool takes(std::int64_t row) const { return row % every == every - 1; }
  std::int64_t rows(std::int64_t tokens) const { return tokens / every; }
  std::int64_t every;
};

}  // namespace

Status logits_command(const Arguments& a, Engine& engine, JsonWriter& out) {
  Result<std::vector<Token>> read_ids = read_tokens(a.text("--tokens"));
  if (!read_ids.ok()) return read_ids.status();
  const std::vector<Token>& tokens = read_ids.value();
  const Sample sample(a);
  std::ofstream file(a.text("--out"), std::ios::binary);
  const std::uint32_t head[4] = {0x31474c43u /* "CLG1" */, static_cast<std::uint32_t>(sample.rows(static_cast<std::int64_t>(tokens.size()))),
                                 static_cast<std::uint32_t>(engine.model().vocab), 0};
  file.write(reinterpret_cast<const char*>(head), sizeof head);
  const Clock::time_point start = Clock::now();
  Status status = engine.evaluate(tokens, [&](std::int64_t at, std::span<const float> row) {
    if (!sample.takes(at)) return;
    file.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(row.size_bytes()));
  });
  if (!status.ok()) return status;
  file.close();
  if (!file)
    return Status(Code::io_failed, "expected to write " + a.text("--out") + ", found that the system refused: check the folder and the free space");
  out.open('{')
      .field("tokens", static_cast<std::int64_t>(tokens.size()))
      .field("vocab", engine.model().vocab)
      .field("seconds", seconds_between(start, Clock::now()))
      .close();
  return {};
}

Status perplexity_command(const Arguments& a, Engine& engine, JsonWriter& out) {
  Result<std::vector<Token>> read_ids = read_tokens(a.text("--tokens"));
  if (!read_ids.ok()) return read_ids.status();
  const std::vector<Token>& tokens = read_ids.value();
  if (tokens.size() < 2)
    return Status(Code::invalid_request, "expected at least 2 tokens, found " + std::to_string(tokens.size()) + ": give a longer text");
  const auto count = static_cast<std::int64_t>(tokens.size()), vocab = engine.model().vocab;
  const Sample sample(a);
  std::optional<model::LogitsFile> against;
  if (a.has("--against")) {
    Result<model::LogitsFile> file = model::LogitsFile::open(a.text("--against"));
    if (!file.ok()) return file.status();
    if (file.value().tokens() != sample.rows(count) || file.value().vocab() != vocab)
      return Status(Code::invalid_request, "expected " + std::to_string(sample.rows(count)) + " rows of " + std::to_string(vocab) + " logits in " +
                                               a.text("--against") + ", found " + std::to_string(file.value().tokens()) + " of " +
                                               std::to_string(file.value().vocab()) + ": write it from the same tokens");
    against.emplace(std::move(file).value());
  }
  model::Perplexity measured;
  std::vector<float> reference(against ? static_cast<std::size_t>(vocab) : 0);
  Status read;
  const Clock::time_point start = Clock::now();
  const Status status = engine.evaluate(tokens, [&](std::int64_t row, std::span<const float> logits) {
    if (!sample.takes(row)) return;
    if (against && read.ok()) read = against->read_row(row / sample.every, reference);
    const bool last = row + 1 == count;
    measured.add(logits, last ? std::nullopt : std::optional<std::int32_t>(tokens[static_cast<std::size_t>(row + 1)]), reference);
  });
  if (!status.ok()) return status;
  if (!read.ok()) return read;
  out.open('{').field("tokens", count).field("scored", measured.scored()).field("perplexity", measured.perplexity());
  out.field("meanNll", measured.mean_nll()).field("standardError", measured.standard_error()).field("seconds", seconds_between(start, Clock::now()));
  if (const std::optional<model::Agreement> agreement = measured.agreement()) {
    out.key("against").open('{').field("rows", agreement->rows).field("perplexity", agreement->reference_perplexity);
    out.field("meanKld", agreement->mean_kld).field("medianKld", agreement->median_kld).field("p99Kld", agreement->p99_kld);
    out.field("maxKld", agreement->max_kld).field("sameBest", agreement->same_best).close();
  }
  out.close();
  return {};
}

}  // namespace codicil::tools
