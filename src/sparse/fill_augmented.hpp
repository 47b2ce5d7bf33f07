// Augmented::fill for any scalar. Included where it is instantiated: for double and batches beside this file, for recorded
// expressions in codegen.
#pragma once

#include <algorithm>

#include "sparsedyn/sparse/augmented.hpp"
#include "sparsedyn/sparse/batch.hpp"

namespace sparsedyn {

/// w y. Without weight a measurement is missing, whatever stands in its place.
inline double weighted(double w, double y) { return w == 0.0 ? 0.0 : w * y; }
inline Batch weighted(const Batch& w, const Batch& y) {
  Batch product;
  for (int k = 0; k < Batch::lanes; ++k) product.lane[k] = weighted(w.lane[k], y.lane[k]);
  return product;
}

template <class S>
void Augmented::fill(const S* values, const S* y, const S* weight, const S* precision, S* matrix,
                     S* right_side) const noexcept {
  const S zero(0.0), one(1.0);
  for (int r = 0; r < m_; ++r) {
    const S w = exact_[r] ? one : weight[r];
    for (int e = rows_.row_start[r]; e < rows_.row_start[r + 1]; ++e) matrix[above_[e]] = matrix[below_[e]] = w * values[e];
    if (unit_[r] >= 0) matrix[unit_[r]] = one;
    right_side[r] = weighted(w, y[r]);
  }
  for (int j = 0; j < n_; ++j)
    if (prior_cell_[j] >= 0) matrix[prior_cell_[j]] = -precision[j];
  std::fill_n(right_side + m_, n_, zero);
}

}  // namespace sparsedyn
