// Forward and inverse dynamics of a robot in contact, with closed loops, stops and dry friction. With a0 the accelerations
// without constraints, and j = J a − a* the deviation of each row from its reference acceleration a*,
//   a = argmin ½ (a − a0)ᵀ M (a − a0) + Σ s(j),    λ = −∂s/∂j,    M (a − a0) = Jᵀ λ
// (Todorov 2014). The problem is convex, so the answer is unique, also with redundant contacts. It is solved by Newton's method
// with an exact line search. Each step factors M + Jᵀ h J, which has the pattern of M, except for contacts between two links.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// The end of the iteration, its start, and the limits of the motors.
struct ConstraintOptions {
  double tolerance = 1e-11;  // of the forces: largest difference between those of the cones and those in the equation of motion
  int iterations = 100;      // at most
  bool warm = false;         // start from the previous state; the answer is the same within the tolerance
  std::vector<int> order;    // in which the freedoms (entries of v) are eliminated; empty: from the tips to the base
  std::vector<double>
      effort_limits;  // by freedom: forward() takes tau within ±this (MuJoCo's actuatorfrcrange); empty: as it is
};

/// For them: the URDF's <limit effort> by entry of v (N m, N), infinite where it is 0 or missing and at freedoms of joints with
/// several. Of joints that others follow, their own.
std::vector<double> effort_limits(const Model& model);

/// How a call ended.
enum class ConstraintState {
  ok,
  not_finite_input,  // q, v, τ, a, a wrench or a multiplier is not
  singular,          // M is not positive definite: `freedom` moves no mass
  rank_lost,         // hard rows lose rank at this state, as in a flat linkage: `row` of `constraint` has no effect
  not_converged,     // the iteration ended above its tolerance, or hard rows contradict each other: `constraint` is worst
  no_contact_point,  // a result of the finder of `constraint` is not finite, or its normal not of unit length (to 1e-6)
  no_derivatives     // the finder of `constraint` does not give those of point and normal; of none: a second one is infinite
};

/// The same, and where. `constraint`: index of constraint_names(); `freedom`: of v; or -1.
struct ConstraintStatus {
  ConstraintState state = ConstraintState::ok;              // what happened
  int iterations = 0;                                       // Newton steps
  double residual = 0;                                      // largest of |λ − λ(j)| beside the largest |λ|
  int constraint = -1, freedom = -1;                        // or -1
  int row = -1;                                             // of `constraint`, from 0; or -1
  bool ok() const { return state == ConstraintState::ok; }  // the results may be used
};

/// First derivatives, row-major, columns in the order of v; with respect to q on the tangent space, perturbed on the right.
struct ConstraintDerivatives {
  double *a, *lambda, *gap;         // what forward() gives
  double *da_dq, *da_dv, *da_dtau;  // nv × nv each
  double* dlambda_dq = nullptr;     // force_columns() × nv, or null, as the next two
  double* dlambda_dv = nullptr;     // likewise
  double* dlambda_dtau = nullptr;   // likewise
};

/// For each freedom (entry of v) the freedoms that share an entry of M + Jᵀ h J with it when all constraints are active. Throws
/// as ConstrainedDynamics does.
std::vector<std::vector<int>> tied_freedoms(const Model& model, const ConstraintSet& set);

/// One object a thread. All memory is taken by the constructor.
class ConstrainedDynamics {
 public:
  /// Copies what it needs of the set; the model must outlive it. Throws std::invalid_argument, naming the constraint, for links
  /// and joints that the model lacks, that cannot move, that move as one, or that have several freedoms where one is needed,
  /// and for an order that is not a permutation. With mimic joints, v, tau, a and all derivatives are those of the independent
  /// coordinates, and λ of a follower's constraint is the torque on the follower.
  ConstrainedDynamics(const Model& model, const ConstraintSet& set, const ConstraintOptions& options = {});
  ~ConstrainedDynamics();
  ConstrainedDynamics(ConstrainedDynamics&&) noexcept;             // a moved-from object may only be assigned to or destroyed
  ConstrainedDynamics& operator=(ConstrainedDynamics&&) noexcept;  // likewise

  /// q (nq), v, tau (nv), fx (a wrench a body, as rnea takes them, or nullptr) → a (nv, as of aba), lambda (force_columns())
  /// and gap (gap_columns(); m, negative where the bodies overlap). If the status is not ok, the results must not be used.
  ConstraintStatus forward(const double* q, const double* v, const double* tau, const Force<double>* fx, double* a,
                           double* lambda, double* gap) noexcept;
  /// q, v, a (and fx) → tau, lambda, gap, in closed form: λ is a function of a. Not with hard rows: see has_hard_rows(). tau is
  /// not limited by effort limits.
  ConstraintStatus inverse(const double* q, const double* v, const double* a, const Force<double>* fx, double* tau,
                           double* lambda, double* gap) noexcept;
  /// forward() and its derivatives at a fixed active set: contacts that are open, stick or slide remain so. At a change of
  /// state they are the derivatives of one side. Derivatives by a limited torque are zero. They follow from the implicit
  /// function theorem with one more factor of M + JᵀhJ; wrenches fx stay constant in the bodies' frames. Contacts between links
  /// need ContactPoint::follows. Along motions that open a loop, redundant hard rows, as those of a plane linkage on a body
  /// that turns, may contradict each other: then ∂a/∂q and ∂a/∂v are those of what the rows say where the loop is closed, and
  /// ∂λ/∂q is exact along motions that keep it closed. O(nv² (depth + rows)); no heap.
  ConstraintStatus derivatives(const double* q, const double* v, const double* tau, const Force<double>* fx,
                               const ConstraintDerivatives& out) noexcept;
  /// The next call starts cold.
  void forget() noexcept;

  /// Whether some constraint is exact; its force is not a function of the acceleration.
  bool has_hard_rows() const noexcept;
  /// `left.0.x`: what `lambda` holds, as logs name it: contacts force on the (first) link in the world's axes (from the
  /// torsional one on also moment about the point), connect the force and weld the wrench on the first link, others the joint's
  /// torque.
  const std::vector<std::string>& force_columns() const noexcept;
  /// `left.0`, one a contact point; of contacts between links infinite where their finder gives none.
  const std::vector<std::string>& gap_columns() const noexcept;
  /// What ConstraintStatus::constraint counts: one a contact point, pair of links, or joint.
  const std::vector<std::string>& constraint_names() const noexcept;
  /// The status in words, with names.
  std::string describe(const ConstraintStatus& status) const;

 private:
  friend struct ConstraintAnswer;  // for second derivatives
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sparsedyn
