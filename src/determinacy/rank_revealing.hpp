// Rank and null space of a dense matrix whose rows and columns have very different units.
#pragma once

#include <Eigen/Core>

namespace sparsedyn {

struct NullSpace {
  int rank = 0;
  Eigen::MatrixXd basis;  // columns; entries that are rounding are zero
};

/// Scales rows and columns to a largest entry of 1 and judges the rank by QR with column pivoting: below 3e-10 of the largest
/// pivot is zero. (True couplings of small links are 1e-8 there, beside 1e-11 of rounding.) Rows with a single entry, such as
/// those of links in the air, are substituted first.
NullSpace null_space(const Eigen::MatrixXd& A);

}  // namespace sparsedyn
