// Programs that write each value once: symmetric matrices and tensors hold most of theirs several times, and writing results is
// much of what a batch of samples costs.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

struct DeduplicatedProgram {
  Program program;
  std::vector<std::string> equal;  // "A = B" or "A = -B": element A is left out, B is written
};

/// The same program without the elements that equal an earlier one at every state, up to the sign. Outputs keep their order,
/// names of elements theirs; an output may be left with no elements.
DeduplicatedProgram deduplicated(const Program& program);

}  // namespace sparsedyn
