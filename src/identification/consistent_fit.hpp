// A convex quadratic in parameters, minimised over those of bodies that can exist.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

namespace sparsedyn {

/// ½ |A x − b|² + ½ |x|² over the variables x, of which p = center + scale x are the parameters (SI).
struct ConsistentFit {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  Eigen::VectorXd center, scale;         // by variable
  std::vector<std::vector<int>> bodies;  // of each body, the ten variables
  /// A variable whose parameter, less that of `minus` where there is one, is held between two numbers.
  struct Bounded {
    int variable;
    double least = 0, most = std::numeric_limits<double>::infinity();
    int minus = -1;
  };
  std::vector<Bounded> bounded;

  Eigen::MatrixXd hessian() const;  // AᵀA + 1
  /// The minimiser. The barrier ends where it can cost no more than `cost`, which moves x by √(2 cost) deviations
  /// at most; steps end where they gain a thousandth of it.
  Eigen::VectorXd solve(double cost = 1e-9) const;
};

}  // namespace sparsedyn
