// Rows answered by the estimator.
#pragma once

#include <memory>

#include "row_solver.hpp"

namespace sparsedyn::cli {

/// As make_row_solver, for sets that are redundant or insufficient, and where deviations or innovations are wanted.
std::unique_ptr<RowSolver> make_estimated_rows(std::shared_ptr<const System> system, const Wanted& wanted,
                                               const CommonOptions& common);

}  // namespace sparsedyn::cli
