#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparsedyn::verification {

Comparison::Comparison(const std::string& quantity, const std::string& way, const std::string& beside, double allowed) {
  row_.quantity = quantity, row_.way = way, row_.beside = beside, row_.allowed = allowed;
}

void Comparison::add(const State& state, const double* x, const double* r, std::size_t n, const std::vector<double>& terms) {
  constexpr double rounding_of_terms = 100 * std::numeric_limits<double>::epsilon();
  difference_.resize(n), size_.resize(n), sample_.resize(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    double apart = std::abs(x[i] - r[i]);
    if (!std::isfinite(apart))
      apart = std::numeric_limits<double>::infinity();
    else if (!terms.empty() && apart <= rounding_of_terms * terms[i])
      apart = 0;
    if (std::isfinite(r[i])) size_[i] = std::max(size_[i], std::abs(r[i]));
    if (sample_[i] < 0 || apart > difference_[i]) difference_[i] = apart, sample_[i] = state.sample;
  }
  ++row_.compared;
}

void Comparison::add_solved(const State& state, const std::vector<double>& x, bool x_there, const std::vector<double>& r,
                            bool r_there, const std::vector<double>& terms) {
  if (!state.regular()) {
    ++row_.refused;
    return;
  }
  row_.allowed = std::max(row_.allowed, state.rounding());
  const std::vector<double> none(x.size(), std::numeric_limits<double>::quiet_NaN());
  add(state, x_there ? x : none, r_there ? r : none, terms);
}

Agreement Comparison::result(const EntryName& name) const {
  constexpr double least_share = 1e-4;
  Agreement row = row_;
  if (size_.empty()) {
    if (row.skipped.empty()) row.skipped = "M is singular at every state, or leaves accelerations fewer than three digits";
    return row;
  }
  const double floor = least_share * *std::max_element(size_.begin(), size_.end());
  std::size_t worst = 0;
  row.worst = -1;
  for (std::size_t i = 0; i < size_.size(); ++i) {
    const double size = std::max(size_[i], floor);
    const double relative = difference_[i] == 0 ? 0 : difference_[i] / size;  // all zero by one way: infinite
    if (relative > row.worst) row.worst = relative, worst = i;
  }
  row.sample = sample_[worst], row.entry = name(static_cast<int>(worst));
  return row;
}

}  // namespace sparsedyn::verification
