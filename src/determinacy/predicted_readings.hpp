// What sensors read where the unknowns are known.
#pragma once

#include <vector>

#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {

/// Predicts readings from a solution. Takes its memory at construction; no heap later. One a thread.
class PredictedReadings {
 public:
  /// The system must outlive it.
  explicit PredictedReadings(const System& system);

  /// q (nq), v (nv), x (unknowns) → y (inputs): the reading that makes each sensor's row hold; entries that no row reads stay
  /// 0. Two assemblies.
  void read(const double* q, const double* v, const double* x, double* y) noexcept;
  /// By how much a row's right-hand side of 1 moves each entry of y at the last state (1 but for a centre_of_pressure); 0 for
  /// entries without a row.
  const std::vector<double>& slope() const { return slope_; }

 private:
  double residual(int row, const double* values, const double* right_side, const double* x) const noexcept;

  const System& system_;
  SystemWorkspace<double> work_;
  std::vector<double> values_, right_side_, zeros_, ones_, at_zero_, slope_;
};

}  // namespace sparsedyn
