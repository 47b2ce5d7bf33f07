// Where a command's plan comes from.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

/// A plan with the system it is for: the one asked about, or the same in the plan's formulation.
struct PlannedSystem {
  std::shared_ptr<const System> system;
  Plan plan;
};

/// The plan in that file, its health sampled anew at this robot's numbers; with an empty path the shipped plan that fits, else
/// the recursive order if it is healthy, else the best that a search finds; none where the set determines less or more than
/// all. Throws InputError where the file is no plan, AnswerIsNo where it was made for another robot or sensor set, and
/// SingularSystem where the set determines all in general, but this robot's bodies lack the inertia for it.
/// `system`: newton-euler.
std::optional<PlannedSystem> plan_for(std::shared_ptr<const System> system, const std::string& path,
                                      const CommonOptions& common);

/// In which order the plan in that file (of `optimise --constraints` without a sensor set) eliminates the freedoms; with an
/// empty path none: ConstraintOptions::order. Throws InputError where the file is no plan, AnswerIsNo where it was made for
/// another robot or other constraints.
std::vector<int> freedom_order(const Model& model, const ConstraintSet& set, const std::string& path);

/// Throws SingularSystem, which names accelerations, where the set is forward dynamics (all torques and wrenches exactly,
/// nothing else) and this robot lacks the inertia for an answer at any state: a joint that moves nothing, a floating root
/// without mass. Cost: nothing where every body has mass, else that of determinacy().
void require_inertia(const System& system);

/// Whether the algorithm of that name solves for accelerations.
bool inverts_inertia(const std::string& algorithm);

/// Whether rows are estimated, and not solved: the set knows more or less than the dynamics need, or priors weigh against
/// noise.
bool is_estimated(const System& system);

/// The estimator's plan in that file, its health sampled anew; with an empty path the best that a search finds, which the
/// user's cache keeps (PlanCache). Throws
/// InputError where the file is no plan, AnswerIsNo where it was made for another robot or sensor set, RedundantExactRows.
std::shared_ptr<const EstimatorPlan> estimator_plan_for(const System& system, const std::string& path,
                                                        const CommonOptions& common);

}  // namespace sparsedyn::cli
