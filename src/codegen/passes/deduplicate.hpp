// Programs that write each value once. Symmetric matrices and tensors hold most values several times, and writing results is a
// large part of the cost of a batch.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

struct DeduplicatedProgram {
  Program program;
  std::vector<std::string> equal;  // "A = B" or "A = -B": element A is left out, B is written
};

/// The same program without the elements that equal an earlier one at every state, up to the sign. Outputs and the remaining
/// elements keep order and names; an output may be left with no elements.
DeduplicatedProgram deduplicated(const Program& program);

}  // namespace sparsedyn
