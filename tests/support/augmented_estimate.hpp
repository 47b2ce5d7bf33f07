// Constrained weighted least squares by the augmented equations in extended precision: the estimate that tests of
// ill-conditioned sets are judged by, where an orthonormal null space in double precision has lost its digits.
#pragma once

#include "least_squares.hpp"

namespace sparsedyn::test {

/// As dense_estimate, of the same arguments. The unknowns are x and the multipliers l of all rows (Björck, Numerical Methods
/// for Least Squares Problems, 1996, sec. 2.5.3):
///   ( R   Y )( l )   ( y )
///   ( Yᵀ −P )( x ) = ( 0 ),   R = diag(1 / w²), zero in exact rows; P = diag(precision),
/// solved by a sparse LU of long double with partial pivoting and refined by residuals of quadruple precision. The covariance
/// of x is the lower right block of the negative inverse; zero in columns of unknowns with next_to_no_precision. Not
/// converged where directions that are hardly determined lie beside some that are not. Throws std::runtime_error where the
/// matrix is singular.
DenseEstimate augmented_estimate(const Eigen::MatrixXd& Y, const Eigen::VectorXd& y, const std::vector<char>& exact,
                                 const Eigen::VectorXd& weight, const Eigen::VectorXd& precision);

/// The same with residuals of long double, in a third of the time: where the matrix is ill conditioned its digits are fewer, so
/// that what agrees with it is right, and what does not is to be judged by augmented_estimate.
DenseEstimate quick_augmented_estimate(const Eigen::MatrixXd& Y, const Eigen::VectorXd& y, const std::vector<char>& exact,
                                       const Eigen::VectorXd& weight, const Eigen::VectorXd& precision);

}  // namespace sparsedyn::test
