#include "support/least_squares.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

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
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(W * N, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd inverse = svd.singularValues().cwiseInverse();
  const Eigen::MatrixXd NV = N * svd.matrixV() * inverse.asDiagonal();
  Eigen::VectorXd x = x0 + N * svd.solve(b - W * x0);
  return {x, NV * NV.transpose()};
}

}  // namespace sparsedyn::test
