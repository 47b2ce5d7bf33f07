// The answers to rows as a program.
#pragma once

#include <optional>

#include "cli/rows/row_solver.hpp"
#include "sparsedyn/codegen/programs.hpp"

namespace sparsedyn::cli {

/// What `rows` gives, as a program that reads these inputs, and, if asked to, the noisy rows' weights too: outputs named as
/// rows.columns(), then what rows.accept() takes, then derivatives. None where rows need more than a program gives.
std::optional<Program> recorded(const RowSolver& rows, const ReadInputs& read, bool weights = false,
                                const DerivativesBy& derivatives = {});

}  // namespace sparsedyn::cli
