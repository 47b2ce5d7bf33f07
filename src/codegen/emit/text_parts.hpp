// A program's text cut into functions of bounded size.
#pragma once

#include <cstddef>
#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

struct TextParts {
  std::vector<int> starts;  // the first node of each part, and one behind the last of all
  std::vector<int> slot;  // of each node that a later part uses: its place in the array that passes from part to part; else -1
  int slots = 0;          // of that array
};

/// Parts of about equal length, each of at most `largest` operations and results. results[i]: how many results node i is. A
/// slot is free again after the last part that uses its value.
TextParts text_parts(const Program& program, const std::vector<std::size_t>& results, int largest);

}  // namespace sparsedyn
