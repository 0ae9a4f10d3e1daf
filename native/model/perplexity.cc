// The body of perplexity.h: log-sum-exp in f64, divergence of a row, and the header of a logits file.
//
// Rule that must stay true: a file whose counts and length disagree is refused before a row is read.
#include "native/model/perplexity.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace codicil::model {
namespace {

constexpr std::uint64_t kHead = 16;

double log_sum_exp(std::span<const float> row) {
  const double best = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (const float value : row) sum += std::exp(value - best);
  return best + std::log(sum);
}

Status not_logits(const std::string& path, const std::string& expected, const std::string& found) {
  return Status(Code::corrupt_file,
                path + ": " + expected + " was expected, found " + found + ". Write the file again with `logits` (bench/peer/FORMATS.md).");
}

}  // namespace

double divergence(std::span<const float> reference, std::span<const float> ours) {
  const double reference_sum = log_sum_exp(reference), our_sum = log_sum_exp(ours);
  double kld = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double log_p = reference[i] - reference_sum;
    const double p = std::exp(log_p);
    if (p > 0) kld += p * (log_p - (ours[i] - our_sum));
  }
  return std::max(kld, 0.0);  // rounding may leave a hair below
}

Result<LogitsFile> LogitsFile::open(const std::string& path) {
  Result<File> file = File::open(path);
  if (!file.ok()) return file.status();
  LogitsFile out(std::move(file).value());
  std::byte head[kHead];
  if (out.file_.size() < kHead) return not_logits(path, "a header of 16 bytes", std::to_string(out.file_.size()));
  if (Status status = out.file_.read(0, head); !status.ok()) return status;
  if (std::memcmp(head, "CLG1", 4) != 0) return not_logits(path, "the mark CLG1", "another beginning");
  std::uint32_t tokens = 0, vocab = 0;
  std::memcpy(&tokens, head + 4, 4);
  std::memcpy(&vocab, head + 8, 4);
  if (vocab == 0) return not_logits(path, "a vocabulary", "0 tokens");
  // Divided, not multiplied: two lying counts must not wrap around to the file's size.
  const std::uint64_t row_bytes = std::uint64_t{4} * vocab, body = out.file_.size() - kHead;
  if (body % row_bytes != 0 || body / row_bytes != tokens)
    return not_logits(path, std::to_string(tokens) + " rows of " + std::to_string(vocab) + " logits", std::to_string(body) + " bytes");
  out.tokens_ = tokens;
  out.vocab_ = vocab;
  return out;
}

Status LogitsFile::read_row(std::int64_t row, std::span<float> out) const {
  return file_.read(kHead + static_cast<std::uint64_t>(row * vocab_) * 4, std::as_writable_bytes(out));
}

void Perplexity::add(std::span<const float> logits, std::optional<std::int32_t> next, std::span<const float> reference) {
  if (next) {
    const auto at = static_cast<std::size_t>(*next);
    const double nll = log_sum_exp(logits) - logits[at];
    nll_ += nll;
    nll_squares_ += nll * nll;
    scored_ += 1;
    if (!reference.empty()) reference_nll_ += log_sum_exp(reference) - reference[at];
  }
  if (reference.empty()) return;
  klds_.push_back(divergence(reference, logits));
  const auto best = [](std::span<const float> row) { return std::max_element(row.begin(), row.end()) - row.begin(); };
  if (best(logits) == best(reference)) same_best_ += 1;
}

double Perplexity::standard_error() const {
  if (scored_ < 2) return 0;
  const auto n = static_cast<double>(scored_);
  const double variance = (nll_squares_ - nll_ * nll_ / n) / (n - 1);
  return std::sqrt(std::max(variance, 0.0) / n);
}

double Perplexity::perplexity() const { return std::exp(mean_nll()); }

std::optional<Agreement> Perplexity::agreement() const {
  if (klds_.empty()) return std::nullopt;
  std::vector<double> sorted = klds_;
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) { return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))]; };
  Agreement out;
  out.rows = static_cast<std::int64_t>(klds_.size());
  for (const double kld : klds_) out.mean_kld += kld / static_cast<double>(out.rows);
  out.median_kld = at(0.5);
  out.p99_kld = at(0.99);
  out.max_kld = sorted.back();
  out.same_best = static_cast<double>(same_best_) / static_cast<double>(out.rows);
  out.reference_perplexity = scored_ > 0 ? std::exp(reference_nll_ / static_cast<double>(scored_)) : 1;
  return out;
}

}  // namespace codicil::model
