// The statements of a SuperwordProgram, in C with vector extensions.
#pragma once

#include <string>

#include "codegen/vector/superword_program.hpp"
#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

struct LaneStatements {
  std::string numbers;     // of a long program: body of a function for the numbers that no vector is needed for
  std::string text;        // body of the function for the rest; names as in emit_statements, and the vectors' type @_branches
  int kept = 0;            // numbers that the second needs of the first
  OperationCounts counts;  // as executed: an operation on vectors counts once for each lane
  long operations = 0;     // of the text
};

/// A long program computes all its single numbers before its vectors: mixed, they would
/// compete for registers, and the compiler would move both to memory and back.
LaneStatements emit_lanes(const Program& program, const SuperwordProgram& superwords);

}  // namespace sparsedyn
