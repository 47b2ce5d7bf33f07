// What a pattern alone says about a system of equations (Dulmage & Mendelsohn 1958).
#pragma once

#include <vector>

#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

struct StructuralParts {
  int rank = 0;                      // the most entries that can be chosen with no two in a row or column
  std::vector<int> underdetermined;  // columns of the part that has too few rows, whatever the numbers; ascending
  std::vector<int> overdetermined;   // rows of the part that has too many
};

StructuralParts dulmage_mendelsohn(const Pattern& pattern);

}  // namespace sparsedyn
