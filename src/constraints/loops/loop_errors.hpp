// How far closed loops and couplings are open at a posture, φ(q), and J = ∂φ/∂q.
#pragma once

#include <memory>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// One object a thread. All memory is taken by the constructor.
class LoopErrors {
 public:
  /// Of the set's hard constraints. The model must outlive it. Throws std::invalid_argument as ConstrainedDynamics does.
  LoopErrors(const Model& model, const ConstraintSet& set);
  ~LoopErrors();
  LoopErrors(LoopErrors&&) noexcept;

  int rows() const noexcept;
  /// At q (nq). No heap.
  void at(const double* q) noexcept;
  /// φ of a row: m, of a turn the sine of half of it, of a coupling rad or m.
  double error(int row) const noexcept;
  /// J of a row, nv numbers.
  const double* jacobian(int row) const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sparsedyn
