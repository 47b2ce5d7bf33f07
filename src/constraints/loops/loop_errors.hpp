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
  /// Whether a row ties links of the robot, or joints, to each other and not to the world: where the base is does not matter.
  bool within_robot(int row) const noexcept;
  /// Of row k of a connect to the world, φ × e_k: a turn θ of the robot about its anchor in the world, δp = −θ × c, turns φ
  /// alone, by θ × φ, of which J tells as θ · (φ × e_k). Zero of all other rows.
  Vec3<double> turned_error(int row) const noexcept;
  /// J of a row, nv numbers.
  const double* jacobian(int row) const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sparsedyn
