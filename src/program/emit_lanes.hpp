// The statements of a LaneProgram, in C with vector extensions.
#pragma once

#include <string>

#include "sparsedyn/program/lane_program.hpp"
#include "sparsedyn/program/program.hpp"

namespace sparsedyn {

struct LaneStatements {
  std::string text;        // body of a function; names as in emit_statements, and the vectors' type @_branches
  OperationCounts counts;  // as executed: an operation on vectors counts once for each lane
  long operations = 0;     // of the text
};

/// program.lanes() must not be nullptr.
LaneStatements emit_lanes(const Program& program);

}  // namespace sparsedyn
