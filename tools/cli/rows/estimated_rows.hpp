// Rows answered by the estimator.
#pragma once

#include <memory>

#include "row_solver.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn::cli {

/// An estimator's plan, and the outputs of those wanted that it determines.
struct EstimatedOutputs {
  std::shared_ptr<const EstimatorPlan> plan;
  std::vector<std::string> outputs;
};
/// Throws AnswerIsNo where one that is asked for by name is undetermined; warns of others.
EstimatedOutputs estimated_outputs(const std::shared_ptr<const System>& system, const Wanted& wanted,
                                   const CommonOptions& common);

/// As make_row_solver, for sets that are redundant or insufficient, and where deviations or innovations are wanted.
std::unique_ptr<RowSolver> make_estimated_rows(std::shared_ptr<const System> system, const Wanted& wanted,
                                               const CommonOptions& common);

}  // namespace sparsedyn::cli
