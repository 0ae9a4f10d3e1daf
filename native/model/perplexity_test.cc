// Perplexity and KLD on distributions whose figures are known, and logits files that lie.
#include "native/model/perplexity.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include "native/base/test.h"

namespace codicil::model {
namespace {

std::string word(std::uint32_t value) { return {reinterpret_cast<const char*>(&value), 4}; }

struct TemporaryFile {
  std::string path = (std::filesystem::temp_directory_path() / ("codicil_logits_" + std::to_string(std::random_device()()))).string();
  explicit TemporaryFile(const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  ~TemporaryFile() { std::remove(path.c_str()); }
};

}  // namespace

CODICIL_TEST(a_uniform_guess_has_the_perplexity_of_its_vocabulary) {
  const std::vector<float> flat(50, 3.0f);
  Perplexity p;
  for (int i = 0; i < 10; ++i) p.add(flat, i, {});
  p.add(flat, {}, {});
  CHECK_EQ(p.scored(), 10);
  CHECK_NEAR(p.perplexity(), 50, 1e-9);
  CHECK_NEAR(p.standard_error(), 0, 1e-7);
  CHECK(!p.agreement().has_value());
}

CODICIL_TEST(divergence_is_what_the_formula_says_and_zero_for_the_same_distribution) {
  const std::vector<float> p = {std::log(0.5f), std::log(0.25f), std::log(0.25f)}, q = {std::log(0.25f), std::log(0.25f), std::log(0.5f)};
  CHECK_NEAR(divergence(p, q), 0.5 * std::log(2.0) + 0.25 * std::log(0.5), 1e-7);
  const std::vector<float> shifted = {p[0] + 7, p[1] + 7, p[2] + 7};  // logits know no zero
  CHECK_NEAR(divergence(p, shifted), 0, 1e-6);
  const std::vector<float> far = {1000, -1000}, other = {-1000, 1000};
  CHECK_NEAR(divergence(far, other), 2000, 1e-6);
}

CODICIL_TEST(agreement_counts_the_same_best_token_and_the_tail) {
  Perplexity p;
  const std::vector<float> a = {2, 1, 0}, b = {0, 1, 2};
  for (int i = 0; i < 99; ++i) p.add(a, 0, a);
  p.add(a, 0, b);
  const std::optional<Agreement> found = p.agreement();
  REQUIRE(found.has_value());
  CHECK_EQ(found->rows, 100);
  CHECK_NEAR(found->same_best, 0.99, 1e-12);
  CHECK_NEAR(found->median_kld, 0, 1e-12);
  CHECK_NEAR(found->max_kld, divergence(b, a), 1e-12);
  CHECK_NEAR(found->mean_kld, found->max_kld / 100, 1e-12);
  CHECK(found->reference_perplexity > p.perplexity());
}

CODICIL_TEST(a_logits_file_is_read_row_by_row_and_a_lying_one_refused) {
  const float rows[] = {1, 2, 3, 4, 5, 6};
  const std::string body(reinterpret_cast<const char*>(rows), sizeof rows), head = "CLG1" + word(2) + word(3) + word(0);
  const TemporaryFile sound(head + body);
  const Result<LogitsFile> file = LogitsFile::open(sound.path);
  REQUIRE_OK(file);
  std::vector<float> row(3);
  REQUIRE_OK(file.value().read_row(1, row));
  CHECK_EQ(row[0], 4.0f);
  CHECK_STATUS(LogitsFile::open(sound.path + ".none"), Code::not_found, "");
  const auto refused = [](const std::string& bytes, const char* part) {
    CHECK_STATUS(LogitsFile::open(TemporaryFile(bytes).path), Code::corrupt_file, part);
  };
  refused("CLG1", "16 bytes");
  refused("CLG2" + head.substr(4) + body, "CLG1");
  refused(head + body.substr(1), "2 rows of 3");
  refused(head + body + "abcd", "2 rows of 3");
  refused("CLG1" + word(2) + word(0) + word(0), "vocabulary");
  refused("CLG1" + word(1u << 31) + word(1u << 31) + word(0) + body, "rows of 2147483648");
}

}  // namespace codicil::model
