// A convex quadratic in parameters, minimised over those of bodies that can exist.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

namespace sparsedyn {

/// ½ |A x − b|² + ½ |x|² over the variables x, of which p = center + scale x are the parameters (SI).
struct ConsistentFit {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  Eigen::VectorXd center, scale;  // by variable
  /// A body that must exist: its ten numbers, in one frame.
  struct Body {
    std::array<int, 10> variable;  // of each number, or -1
    std::array<double, 10> fixed;  // the number where it is no variable
    double size;                   // the length that its mass is spread over, m
    /// Whether all ten are variables.
    bool whole() const { return std::count(variable.begin(), variable.end(), -1) == 0; }
  };
  std::vector<Body> bodies;  // those with fixed numbers exist where x = 0
  /// A variable whose parameter, less that of `minus` where there is one, is held between two numbers.
  struct Bounded {
    int variable;
    double least = 0, most = std::numeric_limits<double>::infinity();
    int minus = -1;
  };
  std::vector<Bounded> bounded;

  /// L of L Lᵀ = AᵀA + 1, from the rows: their squares would lose half of the digits.
  Eigen::MatrixXd factor() const;
  /// L⁻¹: the deviation of cᵀx, for any c, is |L⁻¹ c|.
  Eigen::MatrixXd inverse_factor() const;
  /// The minimiser. The barrier ends where it can cost no more than `cost`, which moves x by √(2 cost) deviations
  /// at most; steps end where they gain a thousandth of it. Throws std::overflow_error where squares overflow, and
  /// std::runtime_error where rounding leaves x more than a hundredth of a deviation away (or 3e-8 of its length).
  Eigen::VectorXd solve(double cost = 1e-9) const;
  /// A point on the way there, at this weight of the barrier.
  struct Way {
    Eigen::VectorXd x;
    double weight;
  };
  /// The same, from a point on the way of a fit to nearly the same rows, where there is one; it becomes one of this fit's own.
  Eigen::VectorXd solve(double cost, std::optional<Way>& way) const;
};

}  // namespace sparsedyn
