// Dense least squares whose ranks are known.
#pragma once

#include <Eigen/Core>

#include "dense/orthogonal.hpp"

namespace sparsedyn {

/// One above the other, of equally many columns.
Eigen::MatrixXd stacked(const Eigen::MatrixXd& above, const Eigen::MatrixXd& below);

/// A basis of the null space of A to full precision, given its dimension (null_space() judges ranks, and clears small entries).
Eigen::MatrixXd precise_null_space(const Eigen::MatrixXd& A, Eigen::Index dimension);

/// min ‖A z − r‖, by orthogonal factors; where `open` spans the null space of A, the z that is orthogonal to it in units in
/// which A's columns are of one size.
class LeastSquares {
 public:
  LeastSquares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& open);
  Eigen::VectorXd solve(const Eigen::VectorXd& r) const;
  /// gᵀ (AᵀA)⁺ g for a g in the row space of A.
  double variance(const Eigen::VectorXd& g) const;
  /// (AᵀA)⁺ g, likewise.
  Eigen::VectorXd normal_solve(const Eigen::VectorXd& g) const;

 private:
  Eigen::VectorXd half_solved(const Eigen::VectorXd& g) const;

  Eigen::Index rows_;
  Eigen::VectorXd unit_;
  dense_algebra::PivotedQR qr_;
};

}  // namespace sparsedyn
