// The same matrix by columns, as SuiteSparse wants it.
#pragma once

#include <vector>

#include "sparsedyn/sparse/detail/pattern.hpp"

namespace sparsedyn {

/// Compressed columns: rows ascending in each.
struct Columns {
  std::vector<int> start, row;
  std::vector<double> value;  // empty where only the pattern is asked for
};

Columns columns_of(const Pattern& pattern, const double* values = nullptr);

}  // namespace sparsedyn
