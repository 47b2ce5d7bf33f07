// What ConstrainedDynamics::derivatives leaves behind at its answer, row by row: second derivatives begin there.
#pragma once

#include "constrained_derivatives.hpp"
#include "constraints/rows.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"

namespace sparsedyn {

struct ConstraintAnswer {
  /// Of dynamics that keep() was called for, after derive() that ended well; until their next call. Blocks of rows are there
  /// before.
  explicit ConstraintAnswer(const ConstrainedDynamics& own) noexcept;
  static void keep(ConstrainedDynamics& dynamics);

  /// ConstrainedDynamics::derivatives, at torques within their limits: by one that is cut off they are those at its limit.
  static ConstraintStatus derive(ConstrainedDynamics& dynamics, const double* q, const double* v, const double* tau,
                                 const Force<double>* fx, const ConstraintDerivatives& out) noexcept;
  /// Whether the i-th torque is beyond its limit, so that nothing changes with it.
  bool cut_off(const double* tau, int i) const noexcept;
  /// By the i-th torque.
  void clear_slopes(int i, const ConstraintDerivatives& of) const noexcept;

  /// −∂f/∂j of block k, its rows × its rows.
  const double* slopes_of(std::size_t k) const noexcept {
    return slopes + k * std::size_t{LawNumbers::most_rows} * LawNumbers::most_rows;
  }

  const ConstrainedDynamics& dynamics;
  const ConstraintRows& rows;
  const ConstrainedDerivatives& derivatives;
  const double *j, *f, *slopes;  // of the rows; by block
  HardRowFactor* redundant;      // where some hard rows follow from others: what holds them; else nullptr
};

}  // namespace sparsedyn
