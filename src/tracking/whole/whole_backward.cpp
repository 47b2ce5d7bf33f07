#include "tracking/whole/whole_backward.hpp"

#include <algorithm>
#include <utility>

namespace sparsedyn::tracking {

WholeBackward::WholeBackward(const WholeLayout& layout, bool deviations)
    : layout_(layout),
      deviations_(deviations),
      adjoint_(layout.size),
      x_(layout),
      mean_(static_cast<std::size_t>(layout.size)),
      P_(mean_.size() * mean_.size()),
      product_(P_.size()) {}

/// Λ becomes Fᵀ Λ F; Λ is symmetric, so its rows are carried back twice.
void WholeBackward::carry_information(const WholeJacobian& F) noexcept {
  const int n = adjoint_.n;
  double* const L = adjoint_.information.data();
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < n; ++i) carry_back(layout_, F, L + i * n);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < i; ++k) std::swap(L[i * n + k], L[k * n + i]);
  }
}

/// A sample that starts the estimate has no interval before it: what came after says nothing of what was before.
///
/// LoopTurns::make_additive, between the interval's rows and those at its end, has no transpose here: it adds turns to errors
/// of loops' forces λ, of which no row at the end and no step reads any, and which do not walk; so λ's entries are zero there.
void WholeBackward::step(const WholeSample& after) noexcept {
  if (!(after.dt > 0)) return adjoint_.clear();
  for (int k = after.taken; k-- > after.interval_rows;)
    adjoint_.back_over(after.rows[static_cast<std::size_t>(k)], deviations_);
  carry_back(layout_, after.F, adjoint_.lambda.data());
  if (deviations_) carry_information(after.F);
  for (int k = after.interval_rows; k-- > 0;) adjoint_.back_over(after.rows[static_cast<std::size_t>(k)], deviations_);
  for (std::size_t k = 0; k < layout_.unknowns.size(); ++k)
    if (!layout_.unknowns[k].walks) adjoint_.forget(layout_.first_unknown + static_cast<int>(k), deviations_);
}

WholeSnapshot WholeBackward::snapshot(const WholeSample& sample) noexcept {
  const auto n = static_cast<std::size_t>(adjoint_.n);
  copy(sample.x, x_);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = sample.mean[i];
    for (std::size_t k = 0; k < n; ++k) sum -= sample.P[i * n + k] * adjoint_.lambda[k];
    mean_[i] = sum;
  }
  retract(layout_, mean_.data(), x_);
  if (deviations_) {
    std::fill(product_.begin(), product_.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i)  // P Λ
      for (std::size_t k = 0; k < n; ++k) {
        const double entry = sample.P[i * n + k];
        const double* const from = adjoint_.information.data() + k * n;
        for (std::size_t j = 0; j < n; ++j) product_[i * n + j] += entry * from[j];
      }
    std::copy(sample.P.begin(), sample.P.end(), P_.begin());
    for (std::size_t i = 0; i < n; ++i)  // P − (P Λ) P
      for (std::size_t k = 0; k < n; ++k) {
        const double entry = product_[i * n + k];
        const double* const from = sample.P.data() + k * n;
        for (std::size_t j = 0; j < n; ++j) P_[i * n + j] -= entry * from[j];
      }
  }
  return {x_, deviations_ ? P_.data() : sample.P.data(), sample.y.data(), sample.stands.data(), sample.dt, sample.nis};
}

}  // namespace sparsedyn::tracking
