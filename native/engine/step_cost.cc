// The fit of step_cost.h: fading least squares of three terms, none of them negative.
//
// Owns: the normal equations and their solution. Rule: the work of one measurement is constant (seven systems of at most three unknowns).
#include "native/engine/step_cost.h"

#include <algorithm>
#include <cmath>

namespace codicil {

namespace {

// Weight of a step after each later one: about 30 steps count, a second or less of reading.
constexpr double kFade = 0.97;
// Columns are brought to about one, so that a small number added to the diagonal means the same for each.
constexpr std::array<double, 3> kUnits = {1.0, 64.0, 64.0 * 1024.0};
constexpr double kRidge = 1e-6;

// Solves the rows and columns of `terms` by elimination; false: they do not tell the terms apart.
bool solve_terms(const std::array<std::array<double, 3>, 3>& products, const std::array<double, 3>& targets, unsigned terms,
                 std::array<double, 3>& out) {
  std::array<int, 3> index{};
  int n = 0;
  for (int i = 0; i < 3; ++i)
    if ((terms >> i & 1u) != 0) index[static_cast<std::size_t>(n++)] = i;
  std::array<std::array<double, 4>, 3> m{};
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) m[at(i)][at(j)] = products[at(index[at(i)])][at(index[at(j)])];
    m[at(i)][at(i)] *= 1 + kRidge;
    m[at(i)][3] = targets[at(index[at(i)])];
  }
  for (int i = 0; i < n; ++i) {
    if (!(m[at(i)][at(i)] > 1e-30)) return false;
    for (int r = 0; r < n; ++r) {
      if (r == i) continue;
      const double factor = m[at(r)][at(i)] / m[at(i)][at(i)];
      for (std::size_t c = 0; c < 4; ++c) m[at(r)][c] -= factor * m[at(i)][c];
    }
  }
  out.fill(0);
  for (int i = 0; i < n; ++i) out[at(index[at(i)])] = m[at(i)][3] / m[at(i)][at(i)];
  return true;
}

}  // namespace

void StepCost::measured(const StepWork& work, double seconds) {
  if (work.tokens <= 0 || !(seconds > 0)) return;
  // Every step counts by its relative error: one of 500 tokens must not drown ten of one.
  const std::array<double, kTerms> row = {kUnits[0] / seconds, static_cast<double>(work.tokens) / kUnits[1] / seconds,
                                          work.pairs / kUnits[2] / seconds};
  for (std::size_t i = 0; i < kTerms; ++i) {
    for (std::size_t j = 0; j < kTerms; ++j) products_[i][j] = products_[i][j] * kFade + row[i] * row[j];
    targets_[i] = targets_[i] * kFade + row[i];
  }
  weight_ = weight_ * kFade + 1;
  solve();
}

// The best fit without negative coefficients is the best of the seven plain fits that have none.
void StepCost::solve() {
  double least = 0;
  bool any = false;
  for (unsigned terms = 1; terms < 8; ++terms) {
    std::array<double, kTerms> candidate{};
    if (!solve_terms(products_, targets_, terms, candidate)) continue;
    if (std::any_of(candidate.begin(), candidate.end(), [](double v) { return !(v >= 0) || !std::isfinite(v); })) continue;
    double error = 0;  // up to the constant sum of squared targets
    for (std::size_t i = 0; i < kTerms; ++i) {
      error -= 2 * candidate[i] * targets_[i];
      for (std::size_t j = 0; j < kTerms; ++j) error += candidate[i] * candidate[j] * products_[i][j];
    }
    if (any && error >= least) continue;
    any = true;
    least = error;
    for (std::size_t i = 0; i < kTerms; ++i) fit_[i] = candidate[i] / kUnits[i];
  }
}

std::int64_t StepCost::affordable(const StepWork& planned, double budget, std::int64_t position, std::int64_t most) const {
  if (!known()) return most;
  const double left = budget - (planned.tokens > 0 ? seconds(planned) : fit_[0]);
  if (left <= 0) return 0;
  // left = n x (a + b x (position + 1/2)) + n^2 x b / 2
  const double linear = fit_[1] + fit_[2] * (static_cast<double>(position) + 0.5), square = fit_[2] / 2;
  const double n = square > 0 ? (std::sqrt(linear * linear + 4 * square * left) - linear) / (2 * square) : linear > 0 ? left / linear : 1e18;
  return n >= static_cast<double>(most) ? most : static_cast<std::int64_t>(n);
}

double StepCost::row_share(std::int64_t rows) const {
  const double whole = fit_[0] + fit_[1] * static_cast<double>(rows);
  return whole > 0 ? fit_[1] * static_cast<double>(rows) / whole : 0;
}

}  // namespace codicil
