// The same matrix by columns, as SuiteSparse wants it.
#pragma once

#include <vector>

#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

/// Compressed columns: rows ascending in each.
struct Columns {
  std::vector<int> start, row;
  std::vector<double> value;  // empty where only the pattern is asked for
};

Columns columns_of(const Pattern& pattern, const double* values = nullptr);

/// The same with each value moved by a share of its own of at most 2⁻²⁰, the same share in every run. Values that are equal, or
/// become equal in elimination, are then apart by far more than what a machine's own BLAS rounds: the choice between them is
/// the same everywhere.
Columns untied_columns(const Pattern& pattern, const double* values);

}  // namespace sparsedyn
