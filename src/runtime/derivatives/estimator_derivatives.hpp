// Derivatives of an estimate: the factors of its augmented system answer to what moves in it, weights held.
#pragma once

#include <vector>

#include "derivative_engine.hpp"
#include "runtime/estimation/sample_solver.hpp"

namespace sparsedyn {

class EstimatorDerivatives {
 public:
  /// tolerance: of the backward errors. deviations_of_state: takes the memory for add_state_deviations(). Throws
  /// std::invalid_argument for a formulation of shifted accelerations.
  EstimatorDerivatives(const System& system, const Outputs& outputs, double tolerance, bool deviations_of_state);

  /// All that follows: at the solver's last solution.
  void at(SampleSolver& solver) noexcept;
  /// As Solver::derivatives. False where an equation could not be solved.
  bool find(const DerivativeArrays& into, DerivativeMode mode) noexcept;
  /// As Solver::gradient, likewise.
  bool combine(const double* weight, const DerivativeArrays& into) noexcept;
  /// NaN in a row of each array, for what is undetermined.
  void leave_open(const DerivativeArrays& into, std::size_t row) const noexcept { engine_.leave_open(into, row); }
  /// The deviations that the state's own (System::position_sigma) make, to first order: σ² += Σ_k (∂o/∂q_k σ_k)² + (∂o/∂v_k
  /// σ_k)², of each output. NaN where they cannot be told.
  void add_state_deviations(std::vector<double>& deviations) noexcept;

 private:
  const System& system_;
  DerivativeEngine engine_;
  PlannedEquations planned_;
  std::vector<double> weight_;   // a row of the system: 1 where it is exact
  std::vector<double> dq_, dv_;  // outputs × nv, for deviations that the state's own make
  ChangedResidual changed_;
};

}  // namespace sparsedyn
