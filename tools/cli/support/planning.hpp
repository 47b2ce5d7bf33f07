// Where a command's plan comes from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "determinacy/needs_estimate.hpp"
#include "determinacy/required_inertia.hpp"
#include "sparsedyn/answers/sensor_derivatives.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/constraints/constraint_set.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

/// The plan in that file; with an empty path the shipped plan that fits, else the recursive order if it is healthy, else the
/// best that a search finds; the user's cache keeps those of estimates. Throws InputError where the file is no JSON.
PlanSource plan_source(const std::string& path);

/// A solver whose making is told in warnings. Throws AnswerIsNo where the plan does not fit, where an output asked for is
/// undetermined, and where exact rows follow from each other; else as the constructor does.
SensorSolver sensor_solver(const std::shared_ptr<const System>& system, const SensorSolverOptions& options,
                           const CommonOptions& common);
/// The same for derivatives; AnswerIsNo too where the robot lacks the inertia for an answer at any state.
SensorDerivatives sensor_derivatives(const std::shared_ptr<const System>& system, const std::vector<std::string>& outputs,
                                     const PlanSource& plans, const CommonOptions& common);

/// In which order the plan in that file (of `optimise --constraints` without a sensor set) eliminates the freedoms; with an
/// empty path none: ConstraintOptions::order. Throws InputError where the file is no plan, AnswerIsNo where it was made for
/// another robot or other constraints.
std::vector<int> freedom_order(const Model& model, const ConstraintSet& set, const std::string& path);

/// Whether the algorithm of that name solves for accelerations.
bool inverts_inertia(const std::string& algorithm);

}  // namespace sparsedyn::cli
