// One call from a robot and its sensors to the runtime. No search: orders are those of stored plans, or of the recursive
// algorithms, read off the system's names: what a roboticist would do by hand.
#pragma once

#include <optional>
#include <stdexcept>

#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// No order that is known beforehand is healthy for this robot and set: it takes a search (planning/optimise.hpp).
struct NoPlan : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The solver of a set that determines the dynamics, by the plan that ships for this structure of robot and set, else by the
/// recursive order; its pivots are tried at 704 states of this robot. Throws NoPlan, SingularSystem, UnknownOutput, and what
/// System throws for a set that does not fit the robot. Cost: 704 solves.
Solver make_solver(const Model& model, const SensorSet& sensors, const SolverOptions& options = {});

/// By a stored plan (json/files.hpp), in the formulation that it names. Throws PlanMismatch where it was made for another
/// structure of robot or set.
Solver make_solver(const Model& model, const SensorSet& sensors, Plan plan, const SolverOptions& options = {});

/// The estimator of a set that determines more than the dynamics, or less, by a stored plan. Throws PlanMismatch,
/// RedundantExactRows, UnknownOutput. Cost: dense rank decisions, O(n³) for n unknown accelerations and wrenches.
Estimator make_estimator(const Model& model, const SensorSet& sensors, Plan plan, const EstimatorOptions& options = {});

/// The plan that ships for this structure of robot and set, if it is healthy for this robot's numbers.
std::optional<Plan> shipped_plan(const System& system);

/// First whatever substitution alone solves (for inverse dynamics that is everything: accelerations from base to tip,
/// wrenches from tip to base, a triangular matrix with ±1 on its diagonal, no fill). What is left is eliminated from tip to
/// base, for each body f_i by its wrench rows, a_i by its kinematics rows, then q̈_i by the torque rows, whose pivots have
/// become ∓S_iᵀ I_i^A S_i: the articulated-body algorithm (Featherstone 2008, §7.3). Joints with known q̈ or known τ may mix
/// freely (hybrid dynamics). None where the rest does not pair up like this: with sensors elsewhere, other strategies serve.
/// The forces that close loops are found from their rows last, where J M⁻¹ Jᵀ is left.
/// Cost: proportional to the entries of the pattern.
std::optional<Order> recursive_order(const System& system);

/// The same from tip to base, but first everything is substituted that needs no division, wherever it stands. Take a joint
/// along an axis of its link's frame. A known torque gives one component of f_i at once, and one component of a_i gives q̈_i at
/// last. What is left for the joint is that component of a_i and its wrench row, with the pivot ∓S_iᵀ I_i^A S_i as before. It
/// is eliminated before f_i and the rest of a_i. These then pass I^A − U D⁻¹ Uᵀ to the parent, as in the articulated-body
/// algorithm, and not I^A with a rank-one correction in the parent's frame.
std::optional<Order> substituted_order(const System& system);

/// The same two where loops are closed: the forces of a loop come before the body that both its ways to the world have in
/// common, and touch no body below. That is less work, and healthy where the loop moves freely with that body held. None
/// without loops.
std::optional<Order> rooted_order(const System& system, bool substituted);

/// Every f_i and a_i from tip to base first, then all q̈ from tip to base: the composite-rigid-body algorithm and the
/// factorisation of M along the branches (Featherstone 2008, §6.2 and 6.5). None where recursive_order has none.
std::optional<Order> composite_order(const System& system);

/// Bodies in nested dissection of the tree (George 1973): a body comes after the parts into which the tree falls without it,
/// each of at most half of the bodies. More fill than from tip to base, but a pivot depends on only log n others before it.
/// None where recursive_order has none.
std::optional<Order> nested_order(const System& system);

/// Maximal coordinates as (−I, Jᵀ; J, 0) is solved by hand. What needs no division is substituted first: known torques, q̈ at
/// last. Then from tip to base each body's a_i by its wrench rows, whose pivots are those of a 6 × 6 inertia, and its
/// constraint forces by the rows J (Baraff 1996). None where a body moves no mass, where some q̈ is given, or where
/// recursive_order has none.
std::optional<Order> multiplier_order(const System& system);

/// The same, but the accelerations of all bodies first, so that J I⁻¹ Jᵀ is left, a block for each pair of joints that share a
/// body, and is eliminated from tip to base.
std::optional<Order> range_space_order(const System& system);

/// The plan of the recursive order with its health sampled; none where there is no such order, or loops would have to hold what
/// has no mass. Needs no SuiteSparse.
/// Throws SingularSystem, which names an unknown.
std::optional<Plan> recursive_plan(const System& system);

}  // namespace sparsedyn
