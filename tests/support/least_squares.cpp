#include "least_squares.hpp"

#include <Eigen/QR>

namespace sparsedyn::test {

DenseEstimate dense_estimate(const Eigen::MatrixXd& Y, const Eigen::VectorXd& y, const std::vector<char>& exact,
                             const Eigen::VectorXd& weight, const Eigen::VectorXd& precision) {
  const Eigen::Index m = Y.rows(), n = Y.cols();
  Eigen::MatrixXd A(m, n), W = Eigen::MatrixXd::Zero(m + n, n);
  Eigen::VectorXd a(m), b = Eigen::VectorXd::Zero(m + n);
  Eigen::Index held = 0;
  for (Eigen::Index r = 0; r < m; ++r) {
    if (exact[static_cast<std::size_t>(r)]) {
      const double scale = 1.0 / Y.row(r).cwiseAbs().maxCoeff();
      A.row(held) = scale * Y.row(r), a[held++] = scale * y[r];
    } else if (weight[r] > 0) {
      W.row(r) = weight[r] * Y.row(r), b[r] = weight[r] * y[r];
    }
  }
  W.bottomRows(n) = precision.cwiseSqrt().asDiagonal();
  Eigen::VectorXd x0 = Eigen::VectorXd::Zero(n);
  Eigen::MatrixXd N = Eigen::MatrixXd::Identity(n, n);
  if (held > 0) {
    // Aᵀ P = Q (R; 0): the exact rows have full rank
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A.topRows(held).transpose());
    const Eigen::MatrixXd Q = qr.householderQ();
    const auto solve = [&](const Eigen::VectorXd& right) -> Eigen::VectorXd {
      const Eigen::VectorXd permuted = qr.colsPermutation().transpose() * right;
      return Q.leftCols(held) *
             qr.matrixR().topLeftCorner(held, held).triangularView<Eigen::Upper>().transpose().solve(permuted);
    };
    x0 = solve(a.head(held));
    x0 += solve(a.head(held) - A.topRows(held) * x0);
    N = Q.rightCols(n - held);
  }
  if (N.cols() == 0) return {x0, Eigen::MatrixXd::Zero(n, n)};  // the exact rows tell all
  // x = x₀ + N z; W N P = Q (R; 0); the covariance of z is P R⁻¹R⁻ᵀPᵀ
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(W * N);
  const Eigen::MatrixXd NP = N * qr.colsPermutation();
  const Eigen::MatrixXd root = qr.matrixR().topRows(N.cols()).triangularView<Eigen::Upper>().transpose().solve(NP.transpose());
  return {x0 + N * qr.solve(b - W * x0), root.transpose() * root};
}

}  // namespace sparsedyn::test
