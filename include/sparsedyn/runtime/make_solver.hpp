// Solvers and estimators for a robot and its sensors in one call, without a search. Orders come from stored plans, or are those
// of the recursive algorithms, derived from the names of the system's unknowns.
#pragma once

#include <optional>
#include <stdexcept>

#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// No known order is healthy for this robot and set, so a search is needed (planning/optimise.hpp).
struct NoPlan : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The solver of a set that determines the dynamics exactly, with the included plan for this structure of robot and set, or
/// else the recursive order. Its pivots are tested at 704 states of this robot. Throws NoPlan, SingularSystem, UnknownOutput,
/// and the exceptions of System for a set that does not fit the robot. Cost: 704 solves.
Solver make_solver(const Model& model, const SensorSet& sensors, const SolverOptions& options = {});

/// By a stored plan (json/files.hpp), in the formulation that it names. Throws PlanMismatch where it was made for another
/// structure of robot or set.
Solver make_solver(const Model& model, const SensorSet& sensors, Plan plan, const SolverOptions& options = {});

/// The estimator of a set that determines more than the dynamics, or less, by a stored plan. Throws PlanMismatch,
/// RedundantExactRows, UnknownOutput. Cost: dense rank decisions, O(n³) for n unknown accelerations and wrenches.
Estimator make_estimator(const Model& model, const SensorSet& sensors, Plan plan, const EstimatorOptions& options = {});

/// The included plan for this structure of robot and set, if it is healthy for this robot's numbers.
std::optional<Plan> shipped_plan(const System& system);

/// The order of the recursive algorithms. First come the unknowns that substitution alone solves. For inverse dynamics these
/// are all unknowns: accelerations from base to tip and wrenches from tip to base, a triangular matrix with ±1 on its diagonal
/// and without fill-in. The rest is eliminated from tip to base: for each body f_i by its wrench rows, a_i by its kinematics
/// rows, then q̈_i by the torque rows, whose pivots are then ∓S_iᵀ I_i^A S_i. This is the articulated-body algorithm
/// (Featherstone 2008, §7.3). Joints with known q̈ and joints with known τ can be mixed (hybrid dynamics). None if rows and
/// unknowns cannot be paired like this, as with other sensors. The forces of loops come last, by their own rows, where J M⁻¹ Jᵀ
/// remains. Cost: proportional to the entries of the pattern.
std::optional<Order> recursive_order(const System& system);

/// The same from tip to base, after the substitution of all unknowns that need no division. For a joint along an axis of its
/// link's frame, a known torque gives one component of f_i at once, and one component of a_i gives q̈_i at the end. That
/// component of a_i and its wrench row remain for the joint, with the pivot ∓S_iᵀ I_i^A S_i as before. They are eliminated
/// before f_i and the rest of a_i, which then pass I^A − U D⁻¹ Uᵀ to the parent, as in the articulated-body algorithm, instead
/// of I^A with a rank-one correction in the parent's frame.
std::optional<Order> substituted_order(const System& system);

/// The same two orders for robots with closed loops: the forces of a loop come before the last body that both sides of the loop
/// have in common, so that bodies below it are not affected. This takes less work, and is healthy if the loop can move while
/// that body is fixed. None without loops.
std::optional<Order> rooted_order(const System& system, bool substituted);

/// Every f_i and a_i from tip to base first, then all q̈ from tip to base: the composite-rigid-body algorithm and the
/// factorisation of M along the branches (Featherstone 2008, §6.2 and 6.5). None where recursive_order has none.
std::optional<Order> composite_order(const System& system);

/// Bodies in nested dissection of the tree (George 1973): a body comes after the parts of the tree that it separates, each of
/// which has at most half of the bodies. More fill-in than from tip to base, but a pivot depends on only log n earlier pivots.
/// None if recursive_order has none.
std::optional<Order> nested_order(const System& system);

/// The order of Lagrange multipliers in maximal coordinates, (−I, Jᵀ; J, 0). Unknowns that need no division are substituted:
/// known torques first, q̈ last. Then, from tip to base, each body's a_i is eliminated by its wrench rows, whose pivots are
/// those of a 6 × 6 inertia, and its constraint forces by the rows J (Baraff 1996). None if a body has no mass, if some q̈ is
/// given, or if recursive_order has none.
std::optional<Order> multiplier_order(const System& system);

/// The same with the accelerations of all bodies first, so that J I⁻¹ Jᵀ remains, with a block for each pair of joints that
/// share a body, and is eliminated from tip to base.
std::optional<Order> range_space_order(const System& system);

/// The plan of the recursive order, with its health sampled; none if there is no such order, or if loops must hold bodies
/// without mass. Needs no SuiteSparse. Throws SingularSystem, which names an unknown.
std::optional<Plan> recursive_plan(const System& system);

}  // namespace sparsedyn
