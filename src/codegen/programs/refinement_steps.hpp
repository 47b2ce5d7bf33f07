// How often the solves of a sensor set's program are refined.
#pragma once

#include <algorithm>
#include <string>

#include "io/text/begins.hpp"
#include "sparsedyn/codegen/programs.hpp"

namespace sparsedyn {

/// Of the solve for this column alone.
inline int steps_of(const RefinementSteps& refined, const std::string& column) {
  const auto found = refined.find(column);
  return found == refined.end() ? 0 : found->second;
}

/// Whether the column has such a solve: a deviation, and an innovation for its variance.
inline bool has_own_solve(const std::string& column) { return begins(column, "sd.") || begins(column, "innovation."); }

/// Of the solve for the unknowns, which outputs, residuals and their squares have in common; deviations have solves of their
/// own.
inline int steps_of_unknowns(const RefinementSteps& refined) {
  int most = 0;
  for (const auto& [column, steps] : refined)
    if (!begins(column, "sd.")) most = std::max(most, steps);
  return most;
}

}  // namespace sparsedyn
