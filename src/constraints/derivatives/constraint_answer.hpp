// What ConstrainedDynamics::derivatives leaves behind at its answer, row by row: second derivatives begin there.
#pragma once

#include "constrained_derivatives.hpp"
#include "constraints/rows.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"

namespace sparsedyn {

struct ConstraintAnswer {
  /// Of dynamics that keep() was called for, after derivatives() that ended well; until their next call.
  explicit ConstraintAnswer(const ConstrainedDynamics& dynamics) noexcept;
  static void keep(ConstrainedDynamics& dynamics);

  /// −∂f/∂j of block k, its rows × its rows.
  const double* slopes_of(std::size_t k) const noexcept {
    return slopes + k * std::size_t{LawNumbers::most_rows} * LawNumbers::most_rows;
  }

  const ConstraintRows& rows;
  const ConstrainedDerivatives& derivatives;
  const double *j, *f, *slopes;  // of the rows; by block
};

}  // namespace sparsedyn
