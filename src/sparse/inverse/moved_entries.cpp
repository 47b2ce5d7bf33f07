#include "sparse/inverse/moved_entries.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>

namespace sparsedyn {

std::vector<double> factors_of_rounding(const Pattern& pattern) {
  constexpr double least = 2 * std::numeric_limits<double>::epsilon();
  std::minstd_rand rng(17);
  std::vector<double> factors(pattern.column.size());
  for (double& factor : factors) {
    const double u = 2 * static_cast<double>(rng()) / static_cast<double>(std::minstd_rand::max()) - 1;  // in (−1, 1]
    factor = 1 + least * (u < 0 ? u - 1 : u + 1);
  }
  if (pattern.partner.empty()) return factors;
  std::vector<int> row_of(pattern.partner.size());
  for (int r = 0; r < pattern.rows; ++r) row_of[pattern.partner[r]] = r;
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      const int across = row_of[pattern.column[e]];
      const auto begin = pattern.column.begin() + pattern.row_start[across],
                 end = pattern.column.begin() + pattern.row_start[across + 1];
      const auto twin = std::lower_bound(begin, end, pattern.partner[r]) - pattern.column.begin();
      factors[e] = factors[std::min<std::ptrdiff_t>(e, twin)];
    }
  return factors;
}

}  // namespace sparsedyn
