// From a PlanSource to plans.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "determinacy/needs_estimate.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"

namespace sparsedyn {

/// A Solver's plan with the system it is for: the one asked about, or the same in the plan's formulation.
struct PlannedSystem {
  std::shared_ptr<const System> system;
  std::shared_ptr<const Plan> plan;
  SolverMaking making;
};

/// The stored plan, its health sampled anew at this robot's numbers; else the plan that ships, else the recursive order if it
/// is healthy, else the best that the search finds; none where the set determines less or more than all. Throws PlanMismatch,
/// FormulationMisfit and InputError of a stored plan, NoPlan, and SingularSystem where the set determines all in general, but
/// this robot's bodies lack the inertia for it. `system`: newton-euler.
std::optional<PlannedSystem> planned_solver(const std::shared_ptr<const System>& system, const PlanSource& source);

/// The stored plan of an Estimator, or the best that the search finds, which the memory keeps. Throws PlanMismatch and
/// InputError of a stored plan, RedundantExactRows, NoPlan.
std::shared_ptr<const EstimatorPlan> planned_estimator(const System& system, const PlanSource& source, SolverMaking& making);

/// A plan of the Estimator, and the outputs of those wanted that it determines.
struct PlannedEstimate {
  std::shared_ptr<const EstimatorPlan> plan;
  std::vector<std::string> outputs;
  SolverMaking making;
};
/// Throws as planned_estimator does, and UndeterminedOutputs.
PlannedEstimate planned_estimate(const System& system, const PlanSource& source, const std::vector<std::string>& outputs);

}  // namespace sparsedyn
