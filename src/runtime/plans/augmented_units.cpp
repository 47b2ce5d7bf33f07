#include "runtime/plans/augmented_units.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/system/detail/natural_scale.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {

AugmentedUnits::AugmentedUnits(const System& system, const Augmented& augmented)
    : pattern_(augmented.pattern()),
      row_(static_cast<std::size_t>(augmented.pattern().rows), 1.0),
      column_(natural_scale(system)),
      unknowns_(augmented.unknowns()),
      none_(std::all_of(column_.begin(), column_.end(), [](double scale) { return scale == 1; })) {
  column_.resize(row_.size(), 1.0);
  if (none_) return;
  const Pattern& equations = system.pattern();
  const UnitEntries unit = unit_entries(system);
  for (int r = 0; r < equations.rows; ++r) {
    if (!augmented.exact(r)) continue;
    const auto begin = unit.begin() + equations.row_start[r], end = unit.begin() + equations.row_start[r + 1];
    const auto stated = std::find_if(begin, end, [](auto each) { return each != 0; });
    if (stated == end) {
      by_largest_.push_back(r);
      continue;
    }
    row_[r] = column_[equations.column[stated - unit.begin()]];
    column_[unknowns_ + r] = 1 / row_[r];
  }
  for (int j = 0; j < unknowns_; ++j) row_[equations.rows + j] = 1 / column_[j];
  const UnitEntries in_augmented = augmented.unit_entries(unit);
  for (int r = 0; r < pattern_.rows; ++r)
    for (int e = pattern_.row_start[r]; e < pattern_.row_start[r + 1]; ++e)
      none_ = none_ || (in_augmented[e] != 0 && row_[r] != column_[pattern_.column[e]]);
  if (!none_) return;
  std::fill(row_.begin(), row_.end(), 1.0), std::fill(column_.begin(), column_.end(), 1.0);
  by_largest_.clear();
}

void AugmentedUnits::read(const double* matrix) noexcept {
  for (int r : by_largest_) {
    double most = 0;
    for (int e = pattern_.row_start[r]; e < pattern_.row_start[r + 1]; ++e)
      if (pattern_.column[e] < unknowns_) most = std::max(most, std::abs(matrix[e]) * column_[pattern_.column[e]]);
    row_[r] = most > 0 && most < 1 ? std::exp2(std::round(std::log2(most))) : 1;
    column_[unknowns_ + r] = 1 / row_[r];
  }
}

void AugmentedUnits::apply(double* matrix, double* right_side) const noexcept {
  for (int r = 0; r < pattern_.rows; ++r) {
    for (int e = pattern_.row_start[r]; e < pattern_.row_start[r + 1]; ++e) matrix[e] *= column_[pattern_.column[e]] / row_[r];
    right_side[r] /= row_[r];
  }
}

double AugmentedUnits::largest(const double* matrix) const noexcept {
  double most = 0;
  for (int r = 0; r < pattern_.rows; ++r) {
    double in_row = 0;
    for (int e = pattern_.row_start[r]; e < pattern_.row_start[r + 1]; ++e)
      in_row = std::max(in_row, std::abs(matrix[e]) * column_[pattern_.column[e]]);
    most = std::max(most, in_row / row_[r]);
  }
  return most;
}

}  // namespace sparsedyn
