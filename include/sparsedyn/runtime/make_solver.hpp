// One call from a robot and its sensors to the runtime. No search: orders are stored plans or the recursive algorithms'.
#pragma once

#include <optional>
#include <stdexcept>

#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/runtime/solver.hpp"

namespace sparsedyn {

/// No order that is known beforehand is healthy for this robot and set: it takes a search (planning/optimise.hpp).
struct NoPlan : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The solver of a set that determines the dynamics, by the plan that ships for this structure of robot and set, else by the
/// recursive order; its pivots are tried at 704 states of this robot. Throws NoPlan, SingularSystem, UnknownOutput, and what
/// System throws for a set that does not fit the robot. Cost: 704 solves.
Solver make_solver(const Model& model, const SensorSet& sensors, const SolverOptions& options = {});

/// By a stored plan (json/plan_file.hpp), in the formulation that it names. Throws PlanMismatch where it was made for another
/// structure of robot or set.
Solver make_solver(const Model& model, const SensorSet& sensors, Plan plan, const SolverOptions& options = {});

/// The estimator of a set that determines more than the dynamics, or less, by a stored plan. Throws PlanMismatch,
/// RedundantExactRows, UnknownOutput. Cost: dense rank decisions, O(n³) for n unknown accelerations and wrenches.
Estimator make_estimator(const Model& model, const SensorSet& sensors, Plan plan, const EstimatorOptions& options = {});

/// The plan that ships for this structure of robot and set, if it is healthy for this robot's numbers.
std::optional<Plan> shipped_plan(const System& system);

}  // namespace sparsedyn
