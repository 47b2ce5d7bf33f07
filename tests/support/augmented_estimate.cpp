#include "augmented_estimate.hpp"

#include <Eigen/LU>
#include <cmath>

#include "quad.hpp"

namespace sparsedyn::test {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// s with max_j |s_i K_ij s_j| near 1 in each row i.
LongVector equilibration(const LongMatrix& K) {
  LongVector s = LongVector::Ones(K.rows());
  for (int pass = 0; pass < 4; ++pass)
    for (Eigen::Index i = 0; i < K.rows(); ++i) {
      const long double largest = s[i] * K.row(i).cwiseAbs().cwiseProduct(s.transpose()).maxCoeff();
      if (largest > 0) s[i] /= std::sqrt(largest);
    }
  return s;
}

/// right − K z, its sums in quadruple precision.
LongVector residual(const LongMatrix& K, const LongVector& z, const LongVector& right) {
  LongVector r(K.rows());
  for (Eigen::Index i = 0; i < K.rows(); ++i) {
    Float128 sum = right[i];
    for (Eigen::Index j = 0; j < K.rows(); ++j)
      if (K(i, j) != 0) sum -= static_cast<Float128>(K(i, j)) * z[j];
    r[i] = static_cast<long double>(sum);
  }
  return r;
}

}  // namespace

DenseEstimate augmented_estimate(const Eigen::MatrixXd& Y, const Eigen::VectorXd& y, const std::vector<char>& exact,
                                 const Eigen::VectorXd& weight, const Eigen::VectorXd& precision) {
  const Eigen::Index m = Y.rows(), n = Y.cols();
  LongMatrix K = LongMatrix::Zero(m + n, m + n);
  LongVector right = LongVector::Zero(m + n);
  for (Eigen::Index r = 0; r < m; ++r) {
    const bool is_exact = exact[static_cast<std::size_t>(r)];
    if (!is_exact) K(r, r) = weight[r] > 0 ? 1 / (static_cast<long double>(weight[r]) * weight[r]) : 1;
    if (!is_exact && !(weight[r] > 0)) continue;  // a row that does not count: l = 0
    K.row(r).tail(n) = Y.row(r).cast<long double>();
    K.col(r).tail(n) = Y.row(r).transpose().cast<long double>();
    right[r] = y[r];
  }
  K.bottomRightCorner(n, n).diagonal() = -precision.cast<long double>();

  const LongVector s = equilibration(K);
  const Eigen::PartialPivLU<LongMatrix> lu(LongMatrix(s.asDiagonal() * K * s.asDiagonal()));
  const auto solve = [&](const LongVector& of, int passes) {
    LongVector z = LongVector::Zero(m + n);
    for (int pass = 0; pass < passes; ++pass) z += s.asDiagonal() * lu.solve(LongVector(s.asDiagonal() * residual(K, z, of)));
    return z;
  };
  DenseEstimate estimate{solve(right, 4).tail(n).cast<double>(), Eigen::MatrixXd(n, n)};
  for (Eigen::Index j = 0; j < n; ++j)
    estimate.covariance.col(j) = -solve(LongVector::Unit(m + n, m + j), 2).tail(n).cast<double>();
  return estimate;
}

}  // namespace sparsedyn::test
