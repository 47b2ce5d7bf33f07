// Derivatives of what a sensor set gives: by the planned system where the set determines all, else by the estimator. As
// SensorSolver gives the quantities themselves.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/runtime/outputs.hpp"

namespace sparsedyn {

/// One class for all sensor sets. One a thread: for_another_thread().
class SensorDerivatives {
 public:
  /// outputs: as Outputs takes them; empty: as SensorSolverOptions::outputs. plans: as SensorSolverOptions::plans, but that
  /// gaps are planned for at once. Throws as SensorSolver does, and SingularSystem where the robot lacks the inertia for an
  /// answer at any state.
  SensorDerivatives(std::shared_ptr<const System> system, const std::vector<std::string>& outputs, const PlanSource& plans);
  ~SensorDerivatives();
  SensorDerivatives(SensorDerivatives&&) noexcept;             // what is moved from may only be assigned to or destroyed
  SensorDerivatives& operator=(SensorDerivatives&&) noexcept;  // likewise

  /// One more under the same plan, with the deviations that the set states: for another thread.
  SensorDerivatives for_another_thread() const;

  /// Derivatives of columns() at a sample (q, v, y as SensorSolver::solve takes them); false where it cannot be answered, and
  /// describe() says why. Cost: a solve, and what Solver::derivatives costs. Heap-free, but where gaps are planned for.
  bool at(const double* q, const double* v, const double* y, const DerivativeArrays& into) noexcept;
  /// The same of Σ weight[c] columns()[c]: arrays of one row each.
  bool gradient(const double* q, const double* v, const double* y, const double* weight, const DerivativeArrays& into) noexcept;
  /// As SensorSolver::set_sigma.
  bool set_sigma(int row, double sigma) noexcept;
  /// Why the last sample has no derivatives.
  std::string describe() const;
  /// The outputs that are differentiated.
  const std::vector<std::string>& columns() const;
  /// Whether an Estimator answers: a NaN in y is then a gap in that reading.
  bool takes_gaps() const;
  /// Who proposed the order.
  const std::string& strategy() const;
  /// What is worth knowing of how it was made.
  const SolverMaking& making() const;

 private:
  class Rows;
  template <class Runtime, class Status>
  class RowsOf;
  explicit SensorDerivatives(std::unique_ptr<Rows> rows);
  std::unique_ptr<Rows> rows_;
};

}  // namespace sparsedyn
