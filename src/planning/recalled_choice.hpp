// The order that an earlier search for the same robot and sensors chose, judged with other deviations.
#pragma once

#include <optional>
#include <vector>

#include "estimator_problem.hpp"
#include "sparsedyn/sparse/order_memory.hpp"
#include "sparsedyn/sparse/plan.hpp"

namespace sparsedyn {

/// What the strategy of the order that is proof against gaps is called, where it serves all readings.
inline constexpr const char* residuals_first = "residuals first";

/// Whether an order for gaps of these errors takes the place of the one that was kept: as healthy as that was. near: of other
/// deviations one that was not healthy may have errors of ten times what they were.
bool as_healthy_with_gaps(const KeptOrders& orders, bool near, const Health& health);

/// The larger of both errors; infinite where one is not finite.
double worst_error(const Health& health);

/// The choice, and the table that it was chosen from.
struct RecalledChoice {
  Plan plan, missing_data;                 // of the chosen order, and of the one for gaps; both judged with these deviations
  Health missing_data_health;              // of the latter, with gaps
  std::vector<StrategyResult> strategies;  // cheapest first: the chosen one's health is new, the others' is what was kept
};

/// Judges the order that was chosen, at all states, and the one for gaps, at all states with gaps, on two threads. None where
/// one of them is not what it was, where the chosen one is not healthy and accurate, where it has come to take so many steps of
/// refinement that another may cost less, or where `orders` say too little. near: of other deviations, so that the other
/// strategies' lines are marked as judged earlier. Throws ZeroPivot, std::invalid_argument where an order does not fit.
std::optional<RecalledChoice> recalled_choice(const KeptOrders& orders, bool near, const EstimatorProblem& problem);

}  // namespace sparsedyn
