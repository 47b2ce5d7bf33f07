#include "force_multipliers.hpp"

#include <algorithm>
#include <numeric>

namespace sparsedyn {
namespace {

/// J x of a row.
double along_row(const ConstraintAnswer& at, const RowBlock& b, int row, const std::vector<double>& x) noexcept {
  double sum = 0;
  for (int i : b.freedoms) sum += at.rows.row(row)[i] * x[static_cast<std::size_t>(i)];
  return sum;
}

}  // namespace

ForceMultipliers::ForceMultipliers(std::size_t nv, const std::vector<RowBlock>& blocks)
    : n_(nv), moved_(nv), hard_(nv), pushed_(nv) {
  std::size_t rows = 0;
  for (const RowBlock& b : blocks) rows += static_cast<std::size_t>(b.rows);
  by_row_.resize(rows);
}

void ForceMultipliers::take(const ConstraintAnswer& at, const double* of_written) noexcept {
  any_ = of_written != nullptr, of_written_ = of_written;
  if (!any_) return;
  at.rows.gather(of_written, by_row_.data());
  for (auto* motion : {&moved_, &hard_}) std::fill(motion->begin(), motion->end(), 0.0);
  for (const RowBlock& b : at.rows.blocks())
    for (int row = b.first_row; row < b.first_row + b.rows; ++row) {
      const double eta = by_row_[static_cast<std::size_t>(row)], *by_tau = at.derivatives.by_tau(row);
      for (std::size_t i = 0; i < n_; ++i) moved_[i] += eta * by_tau[i], hard_[i] += b.hard ? eta * by_tau[i] : 0;
    }
  push_by_hard_rows(at);
}

/// M u + Σ Jᵀ h (η + J u).
void ForceMultipliers::push_by_hard_rows(const ConstraintAnswer& at) noexcept {
  for (std::size_t i = 0; i < n_; ++i)
    pushed_[i] = std::inner_product(hard_.begin(), hard_.end(), at.derivatives.inertia() + i * n_, 0.0);
  for (std::size_t k = 0; k < at.rows.blocks().size(); ++k) {
    const RowBlock& b = at.rows.blocks()[k];
    if (b.hard || !at.rows.states()[k].active) continue;
    const double* h = at.slopes_of(k);
    for (int c = 0; c < b.rows; ++c) {
      const int row = b.first_row + c;
      const double met = by_row_[static_cast<std::size_t>(row)] + along_row(at, b, row, hard_);
      for (int r = 0; r < b.rows && met != 0; ++r)
        for (int i : b.freedoms)
          pushed_[static_cast<std::size_t>(i)] += at.rows.row(b.first_row + r)[i] * h[r * b.rows + c] * met;
    }
  }
}

std::array<double, 6> ForceMultipliers::along(const ConstraintAnswer& at, std::size_t block) const noexcept {
  if (!any_) return {};
  return multipliers_along(at.rows.blocks()[block], at.rows.states()[block], written(at.rows.blocks()[block]));
}

double ForceMultipliers::adjoint(const ConstraintAnswer& at, std::size_t block, int row) const noexcept {
  const RowBlock& b = at.rows.blocks()[block];
  if (b.hard) return -std::inner_product(pushed_.begin(), pushed_.end(), at.derivatives.by_tau(row), 0.0);
  const int own = row - b.first_row;
  return -at.slopes_of(block)[own * b.rows + own] * (by_row_[static_cast<std::size_t>(row)] + along_row(at, b, row, moved_));
}

}  // namespace sparsedyn
