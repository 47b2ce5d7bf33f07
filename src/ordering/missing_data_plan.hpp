// A second order for estimators: for samples in which measurements are missing.
#pragma once

#include <optional>

#include "sparsedyn/ordering/detail/optimise_order.hpp"
#include "sparsedyn/sparse/detail/augmented.hpp"

namespace sparsedyn {

/// The plan for samples in which measurements are missing, of the augmented system that `problem` samples. Its order works on
/// products of Y with itself; the runtime refines on the augmented system until the backward error is as small as without
/// gaps. None where no such order avoids a vanishing pivot (exact rows and unknowns without any noisy row, say).
std::optional<Plan> missing_data_plan(const Augmented& augmented, const OrderingProblem& problem,
                                      const OptimiseOptions& options);

}  // namespace sparsedyn
