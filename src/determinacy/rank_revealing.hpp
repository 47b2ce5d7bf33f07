// Rank and null space of a dense matrix whose rows and columns have very different units.
#pragma once

#include <Eigen/Core>

namespace sparsedyn {

struct NullSpace {
  int rank = 0;
  Eigen::MatrixXd basis;  // columns; entries that are rounding are zero
};

/// Scales rows and columns to a largest entry of 1 and judges the rank by QR with column pivoting: below 5e-12 of the largest
/// pivot is zero. (Rows of a system leave 1e-15 of rounding there, 1.4e-13 at most in what the tests draw; true couplings of
/// links whose moments differ by eight decades are 1e-10.) Rows with a single entry, such as those of links in the air, are
/// substituted first.
NullSpace null_space(const Eigen::MatrixXd& A);

/// The rank of rows that look at columns of a null space: in these, entries below 3e-10 were taken for zero.
int rank_beside_directions(const Eigen::MatrixXd& A);

}  // namespace sparsedyn
