// How well logits predict a text, and how far they are from another program's logits of the same text.
//
// Owns: perplexity, KL divergence and their statistics, the reader of logits files (magic CLG1, bench/peer/FORMATS.md). Leaves to the engine
// where rows come from.
// Rule that must stay true: every sum runs in f64 over the rows in order, so the same logits give the same figures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "native/base/file.h"
#include "native/base/status.h"

namespace codicil::model {

// KL(reference || ours) of one row, in nats. Rows of equal length, not empty.
double divergence(std::span<const float> reference, std::span<const float> ours);

class LogitsFile {
 public:
  static Result<LogitsFile> open(const std::string& path);  // not_found, io_failed; corrupt_file: not a logits file, or not as long as it says
  std::int64_t tokens() const { return tokens_; }
  std::int64_t vocab() const { return vocab_; }
  Status read_row(std::int64_t row, std::span<float> out) const;  // out[vocab]; row i predicts token i + 1

 private:
  explicit LogitsFile(File file) : file_(std::move(file)) {}
  File file_;
  std::int64_t tokens_ = 0, vocab_ = 0;
};

struct Agreement {
  std::int64_t rows = 0;
  double mean_kld = 0, median_kld = 0, p99_kld = 0, max_kld = 0;  // nats
  double same_best = 0;                                           // share of rows whose highest logit is of the same token
  double reference_perplexity = 0;
};

// Takes the rows of a text one by one.
class Perplexity {
 public:
  // `next`: the token that really followed; nothing at the last row. `reference`: the other program's row, or empty.
  void add(std::span<const float> logits, std::optional<std::int32_t> next, std::span<const float> reference);
  std::int64_t scored() const { return scored_; }
  double mean_nll() const { return scored_ > 0 ? nll_ / static_cast<double>(scored_) : 0; }  // nats per token
  double standard_error() const;                                                             // of mean_nll
  double perplexity() const;
  std::optional<Agreement> agreement() const;  // nothing without reference rows

 private:
  std::int64_t scored_ = 0, same_best_ = 0;
  double nll_ = 0, nll_squares_ = 0, reference_nll_ = 0;
  std::vector<double> klds_;
};

}  // namespace codicil::model
