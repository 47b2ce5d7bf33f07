#include "sparse/inverse/moved_entries.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>

namespace sparsedyn {
namespace {

/// Index i stands for row i and the column that is its partner.
std::vector<int> rows_of_columns(const Pattern& pattern) {
  std::vector<int> row_of(pattern.partner.size());
  for (int r = 0; r < pattern.rows; ++r) row_of[pattern.partner[r]] = r;
  return row_of;
}

class UnitChoice {
 public:
  UnitChoice(const Pattern& pattern, const UnitEntries& unit, const std::vector<int>& row_of)
      : neighbours_(pattern.rows), side_(pattern.rows, 0) {
    for (int r = 0; r < pattern.rows; ++r)
      for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
        if (e >= static_cast<int>(unit.size()) || unit[e] == 0) continue;
        neighbours_[r].push_back(row_of[pattern.column[e]]), neighbours_[row_of[pattern.column[e]]].push_back(r);
      }
  }

  /// d_i d_j = 1 at each entry that keeps its unit: with one number t for all that hang together, t on one side and 1/t on the
  /// other; 1 where there are no two sides.
  std::vector<double> choose(std::minstd_rand& rng) {
    std::vector<double> d(side_.size(), 1.0);
    for (std::size_t i = 0; i < d.size(); ++i) {
      const double t = 1.1 + 0.8 * static_cast<double>(rng()) / static_cast<double>(std::minstd_rand::max());
      if (side_[i] != 0 || !reach(static_cast<int>(i))) continue;
      for (int j : reached_) d[j] = side_[j] > 0 ? t : 1 / t;
    }
    return d;
  }

 private:
  /// False where two that hang together would be on one side.
  bool reach(int first) {
    reached_.assign(1, first), side_[first] = 1;
    bool apart = true;
    for (std::size_t k = 0; k < reached_.size(); ++k)
      for (int j : neighbours_[reached_[k]]) {
        if (side_[j] == 0) reached_.push_back(j), side_[j] = static_cast<signed char>(-side_[reached_[k]]);
        apart = apart && side_[j] != side_[reached_[k]];
      }
    return apart;
  }

  std::vector<std::vector<int>> neighbours_;  // by entries that keep their unit
  std::vector<signed char> side_;             // 1, −1; 0: not reached
  std::vector<int> reached_;
};

}  // namespace

MovedEntries moved_entries(const Pattern& pattern, const UnitEntries& unit, unsigned seed) {
  constexpr double least = 2 * std::numeric_limits<double>::epsilon();
  std::minstd_rand rng(seed);
  MovedEntries moved{std::vector<double>(pattern.column.size()),
                     std::vector<double>(static_cast<std::size_t>(pattern.rows), 1.0)};
  for (double& factor : moved.factor) {
    const double u = 2 * static_cast<double>(rng()) / static_cast<double>(std::minstd_rand::max()) - 1;  // in (−1, 1]
    factor = 1 + least * (u < 0 ? u - 1 : u + 1);
  }
  if (pattern.partner.empty()) return moved;
  const std::vector<int> row_of = rows_of_columns(pattern);
  moved.unit = UnitChoice(pattern, unit, row_of).choose(rng);
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      const int across = row_of[pattern.column[e]];
      const auto begin = pattern.column.begin() + pattern.row_start[across],
                 end = pattern.column.begin() + pattern.row_start[across + 1];
      const auto twin = std::lower_bound(begin, end, pattern.partner[r]) - pattern.column.begin();
      const bool keeps_unit = e < static_cast<int>(unit.size()) && unit[e] != 0;
      if (twin < e)
        moved.factor[e] = moved.factor[static_cast<std::size_t>(twin)];
      else if (!keeps_unit)
        moved.factor[e] *= moved.unit[r] * moved.unit[across];
    }
  return moved;
}

}  // namespace sparsedyn
