// An estimator's order for samples in which measurements are missing.
#pragma once

#include <optional>

#include "sparsedyn/ordering/optimise_order.hpp"
#include "sparsedyn/sparse/augmented.hpp"

namespace sparsedyn {

/// The plan for samples in which measurements are missing; `problem` samples its augmented system. The order forms products of
/// Y with itself, which loses digits; the runtime refines on the augmented system until the backward error is as small as
/// without gaps. None where every such order meets a vanishing pivot, for example with exact rows on unknowns without noisy
/// rows.
std::optional<Plan> missing_data_plan(const Augmented& augmented, const OrderingProblem& problem,
                                      const OptimiseOptions& options);

/// The same where measurements that are missing leave something open, which precisions close: exact rows are eliminated first,
/// each with an unknown of its own. None where they find no such unknowns.
std::optional<Plan> open_gaps_plan(const Augmented& augmented, const OrderingProblem& problem);

}  // namespace sparsedyn
