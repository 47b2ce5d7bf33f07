// Samples answered by the estimator.
#pragma once

#include <memory>

#include "row_answers.hpp"

namespace sparsedyn {

/// As make_row_answers, for sets that are redundant or insufficient, and where deviations or innovations are wanted.
std::unique_ptr<RowAnswers> make_estimated_rows(const std::shared_ptr<const System>& system,
                                                const SensorSolverOptions& options);

}  // namespace sparsedyn
