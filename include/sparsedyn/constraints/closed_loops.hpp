// Closed loops and couplings of joints: the hard constraints of a set (connect, weld, joint). The freedoms that they leave to
// the robot, and the projection of a state onto them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Of the rows of connect, weld and joint constraints that are hard.
struct HardRows {
  int rows = 0;      // all of them
  int rank = 0;      // the largest over the sampled states
  int freedoms = 0;  // nv − rank
  /// Rows that follow from the others at every state of that rank, `rod.y`: of points along the axes of the leading link of the
  /// last body that both ways round the loop have in common, of a spherical linkage along those of a link that it joins; where
  /// there is no such body, along the world's.
  std::vector<std::string> redundant;
};

/// Tries the zero posture and 20 random ones (the same in every run), each moved to where the loops are closed, if it can be.
/// Rows are scaled to one where they are largest; 1e-9 counts as zero. Throws std::invalid_argument as ConstrainedDynamics
/// does.
HardRows hard_rows(const Model& model, const ConstraintSet& set);

// Projection that removes the drift of integration: q onto φ(q) = 0, then v onto J v = 0, each by the smallest change in the
// metric of the inertia matrix,
//   min ½ δᵀ M δ  subject to  J δ = −φ  (Gauss and Newton, repeated),    min ½ δᵀ M δ  subject to  J δ = −J v  (once).
// Freedoms without mass that the loops do not determine change as little as possible.
// For velocities this is Gauss's principle: an impulse of the loops' forces that removes as little energy as possible.

/// How a projection ended.
enum class ProjectionState {
  ok,
  not_finite_input,  // q or v is not
  singular,          // the smallest step is not unique: `freedom` moves no mass and no loop
  not_closed         // φ stays above 1e-9 (of the robot's length, if below 1 m): no posture near q closes `constraint`
};

/// The same, and where. `constraint`: index of names(); `freedom`: of v; or -1.
struct ProjectionStatus {
  ProjectionState state = ProjectionState::ok;              // what happened
  int iterations = 0;                                       // steps of Gauss and Newton
  double gap = 0;                                           // largest |φ| that is left, m or rad, by
  double beside = 0;                                        // itself, lengths beside 1 m or, where less, the robot's own
  int constraint = -1, freedom = -1;                        // or -1
  bool ok() const { return state == ProjectionState::ok; }  // q and v may be used
};

/// One object a thread. All memory is taken by the constructor.
class LoopProjection {
 public:
  /// Of the set's hard constraints (connect, weld, joint); all others are left out. The model must outlive it. Throws
  /// std::invalid_argument as ConstrainedDynamics does.
  LoopProjection(const Model& model, const ConstraintSet& set);
  ~LoopProjection();
  LoopProjection(LoopProjection&&) noexcept;             // a moved-from object may only be assigned to or destroyed
  LoopProjection& operator=(LoopProjection&&) noexcept;  // likewise

  /// Projects q (nq) and v (nv); q to rounding in at most 50 steps, usually 1 to 3. Redundant rows do no harm. If the status is
  /// not ok, q and v are unchanged.
  ProjectionStatus project(double* q, double* v) noexcept;
  /// By how far each constraint is open at q: |φ| of a connect (m) or joint (rad or m); of a weld the larger of the distance
  /// (m) and the angle (rad). gaps: one for each of names().
  void gaps(const double* q, double* gaps) noexcept;
  /// The hard constraints' names, in the order of the set.
  const std::vector<std::string>& names() const noexcept;
  /// The status in words, with names.
  std::string describe(const ProjectionStatus& status) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sparsedyn
