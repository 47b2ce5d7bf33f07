// How often the solves of a sensor set's program are refined.
#pragma once

#include <algorithm>
#include <string>

#include "sparsedyn/codegen/programs.hpp"

namespace sparsedyn {

/// Of the solve for this column alone.
inline int steps_of(const RefinementSteps& refined, const std::string& column) {
  const auto found = refined.find(column);
  return found == refined.end() ? 0 : found->second;
}

/// Whether the column has such a solve: a deviation, and an innovation for its variance.
inline bool has_own_solve(const std::string& column) {
  return column.rfind("sd.", 0) == 0 || column.rfind("innovation.", 0) == 0;
}

/// Of the solve for the unknowns, which outputs, residuals and their squares have in common; deviations have solves of their
/// own.
inline int steps_of_unknowns(const RefinementSteps& refined) {
  int most = 0;
  for (const auto& [column, steps] : refined)
    if (column.rfind("sd.", 0) != 0) most = std::max(most, steps);
  return most;
}

}  // namespace sparsedyn
