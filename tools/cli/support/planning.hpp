// Where a command's plan comes from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/support/options.hpp"
#include "determinacy/needs_estimate.hpp"
#include "determinacy/required_inertia.hpp"
#include "sparsedyn/answers/sensor_derivatives.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/json/document.hpp"

namespace sparsedyn::cli {

/// A plan's file, read once: it says how the robot is read, then what the order is. Null: none was given.
using PlanFile = std::shared_ptr<const json::Document>;
/// Null for an empty path. Throws InputError where the file is no JSON.
PlanFile plan_file(const std::string& path);

/// The options with --snap, where it is not given: what the plan was made with, and without a plan `otherwise`. Throws
/// InputError where the plan's snap is no number.
RobotOptions with_snap(RobotOptions options, const PlanFile& plan, double otherwise = 0);

/// That plan; without one the shipped plan that fits, else the recursive order if it is healthy, else the best that a search
/// finds; the user's cache keeps those of estimates.
PlanSource plan_source(const PlanFile& plan);

/// A solver whose making is told in warnings. Throws AnswerIsNo where the plan does not fit, where an output asked for is
/// undetermined, and where exact rows follow from each other; else as the constructor does.
SensorSolver sensor_solver(const std::shared_ptr<const System>& system, const SensorSolverOptions& options,
                           const CommonOptions& common);
/// The same for derivatives; AnswerIsNo too where the robot lacks the inertia for an answer at any state.
SensorDerivatives sensor_derivatives(const std::shared_ptr<const System>& system, const std::vector<std::string>& outputs,
                                     const PlanSource& plans, const CommonOptions& common);

/// In which order that plan (of `optimise --constraints` without a sensor set) eliminates the freedoms; without one none:
/// ConstraintOptions::order. Throws InputError where the file is no plan, AnswerIsNo where it was made for
/// another robot or other constraints.
std::vector<int> freedom_order(const Model& model, const ConstraintSet& set, const PlanFile& plan);

}  // namespace sparsedyn::cli
