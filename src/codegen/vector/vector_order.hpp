// The order in which a SuperwordProgram is evaluated and its results stand in the outputs.
#pragma once

#include <vector>

#include "superword_program.hpp"

namespace sparsedyn {

/// Nodes in the order of evaluation, and columns likewise. In its output a column's elements stand before those of no column.
/// of_column[c]: elements of column c.
SuperwordProgram in_order(SuperwordProgram program, const std::vector<std::vector<int>>& of_column);

}  // namespace sparsedyn
