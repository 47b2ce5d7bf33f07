#include "least_deviations.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn {

double least_deviation(const RowInformation::Factor& factor) {
  if (factor.rows == 0) return 1;
  const int n = factor.order();
  double squares = 0;
  for (int r = 0; r <= n; ++r) squares += factor.entry(r, n) * factor.entry(r, n);
  return std::max(1e-6 * std::sqrt(squares / static_cast<double>(factor.rows)), 1e-12);
}

std::vector<double> least_deviations(RowInformation& information) {
  std::vector<double> least;
  for (const RowInformation::Factor& factor : information.factors()) least.push_back(least_deviation(factor));
  return least;
}

double squares_cost(const RowInformation::Factor& factor, double squares) {
  const double rows = static_cast<double>(factor.rows), least = least_deviation(factor);
  return rows * std::log(std::max(squares, rows * least * least));
}

}  // namespace sparsedyn
