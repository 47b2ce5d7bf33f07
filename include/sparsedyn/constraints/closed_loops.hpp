// Closed loops and couplings of joints: the hard constraints of a set (connect, weld, joint). What they take from a robot's
// freedoms, and how a state that has left them is put back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Of the rows of connect, weld and joint constraints that are hard.
struct HardRows {
  int rows = 0;                        // all of them
  int rank = 0;                        // the best over the states that were tried
  int freedoms = 0;                    // nv − rank
  std::vector<std::string> redundant;  // rows that follow from those before them at every state of that rank, `rod.y`
};

/// Tries the zero posture and 20 random ones (the same in every run), each moved to where the loops are closed, if it can be.
/// Rows are scaled to one where they are largest; 1e-9 counts as zero. Throws std::invalid_argument as ConstrainedDynamics
/// does.
HardRows hard_rows(const Model& model, const ConstraintSet& set);

// Closed loops put back where the errors of integration have moved them: q onto φ(q) = 0, then v onto J v = 0, each by the
// change that is least in the metric of the inertia matrix,
//   min ½ δᵀ M δ  subject to  J δ = −φ  (Gauss and Newton, repeated),    min ½ δᵀ M δ  subject to  J δ = −J v  (once).
// What moves no mass, and is left open by the loops, moves as little as it may.
// For velocities that is Gauss's principle: an impulse of the loops' own forces, which takes no more energy than it must.

/// How a projection ended.
enum class ProjectionState {
  ok,
  not_finite_input,  // q or v is not
  singular,          // no step is least: `freedom` moves no mass, and no loop
  not_closed         // φ stays above 1e-9: no posture near q closes `constraint`
};

/// The same, and where. `constraint`: index of names(); `freedom`: of v; or -1.
struct ProjectionStatus {
  ProjectionState state = ProjectionState::ok;              // what happened
  int iterations = 0;                                       // steps of Gauss and Newton
  double gap = 0;                                           // largest |φ| that is left
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
  LoopProjection(LoopProjection&&) noexcept;             // what is moved from may only be assigned to or destroyed
  LoopProjection& operator=(LoopProjection&&) noexcept;  // likewise

  /// q (nq) and v (nv) are moved; q to rounding, at most 50 steps, 1 to 3 are usual. Redundant rows do no harm. Where the
  /// status is not ok, q and v are as they were.
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
