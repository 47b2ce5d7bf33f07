// The search for a plan that a user asks for, whether the set is solved or estimated, or for constraints alone.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sparsedyn/planning/optimise.hpp"

namespace sparsedyn {

/// What is compared.
struct PlanRequest {
  std::vector<Formulation> formulations{Formulation{}};
  Cost cost = Cost::executed;
  std::vector<std::vector<char>> gaps;  // of sets that are estimated: patterns that get an order each (missing_rows())
  OptimiseOptions search;
};

/// What was found.
struct PlanFound {
  std::vector<FormulationResult> results;  // the recommended one first
  std::optional<Flops> deviations;         // of sets that are estimated: operations that these take more (flops_of_deviations)
  bool recalled = false;                   // orders of an earlier search were compared: SearchedEstimator::recalled
  int gaps_served = 0, gaps_planned = 0, gaps_unserved = 0;  // patterns of gaps: by the plan's own orders, by one each, by none
};

/// The orders of the system, or, of a set that is estimated, of its augmented system; such a set has one formulation, the
/// system's. system: newton-euler, one that require_plannable() (json/refusals.hpp) lets pass. Throws AnswerIsNo where a pivot
/// vanishes, no formulation suits, or the set is solved and `gaps` are asked for.
PlanFound search_plan(const std::shared_ptr<const System>& system, const PlanRequest& request);

/// The order in which a step of ConstrainedDynamics eliminates the freedoms. Throws as optimise().
FormulationResult search_plan(const Model& model, const ConstraintSet& set, const OptimiseOptions& search);

}  // namespace sparsedyn
