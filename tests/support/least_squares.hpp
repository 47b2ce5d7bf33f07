// Constrained weighted least squares by an orthonormal null space and orthogonal factors: an independent, dense way to the
// estimate.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace sparsedyn::test {

/// The precision of unknowns that nothing determines: a deviation of 1e15. One of 1e11 moves what is hardly determined by 1e-6.
constexpr double next_to_no_precision = 1e-30;

struct DenseEstimate {
  Eigen::VectorXd x;
  Eigen::MatrixXd covariance;
  bool converged = true;  // false: refinement stood still or was too slow, and the numbers judge nothing
};

/// Rows of Y x = y with a weight w > 0 count (w (y − Y x))², rows with w = 0 not at all; rows flagged exact hold. `precision`:
/// of zero-mean priors, one a column. (Lawson & Hanson, Solving Least Squares Problems, 1974, ch. 20.)
DenseEstimate dense_estimate(const Eigen::MatrixXd& Y, const Eigen::VectorXd& y, const std::vector<char>& exact,
                             const Eigen::VectorXd& weight, const Eigen::VectorXd& precision);

}  // namespace sparsedyn::test
