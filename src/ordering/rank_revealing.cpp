#include "rank_revealing.hpp"

#include <Eigen/QR>

namespace sparsedyn {
namespace {

constexpr double tolerance = 3e-10;

/// Factors that bring each row's (then each column's) largest magnitude to 1; 1 for rows of zeros.
Eigen::VectorXd reciprocal(const Eigen::VectorXd& largest) {
  return (largest.array() > 0).select(largest.cwiseInverse(), Eigen::VectorXd::Ones(largest.size()));
}

/// Scales A in place; returns the columns' factors.
Eigen::VectorXd equilibrate(Eigen::MatrixXd& A) {
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(A.cols());
  for (int pass = 0; pass < 3; ++pass) {
    A = reciprocal(A.cwiseAbs().rowwise().maxCoeff()).asDiagonal() * A;
    const Eigen::VectorXd c = reciprocal(A.cwiseAbs().colwise().maxCoeff().transpose());
    A = A * c.asDiagonal();
    scale = scale.cwiseProduct(c);
  }
  return scale;
}

}  // namespace

NullSpace null_space(const Eigen::MatrixXd& A) {
  const Eigen::Index n = A.cols();
  if (A.rows() == 0 || n == 0) return {0, Eigen::MatrixXd::Identity(n, n)};
  Eigen::MatrixXd scaled = A;
  const Eigen::VectorXd scale = equilibrate(scaled);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(scaled);
  qr.setThreshold(tolerance);
  const Eigen::Index r = qr.rank();
  if (r == n) return {static_cast<int>(n), Eigen::MatrixXd(n, 0)};
  // scaled P = Q [R1 R2; 0 0], so P [−R1⁻¹ R2; 1] spans the null space
  Eigen::MatrixXd basis = Eigen::MatrixXd::Identity(n, n).rightCols(n - r);
  if (r > 0)
    basis.topRows(r) =
        -qr.matrixR().topLeftCorner(r, r).triangularView<Eigen::Upper>().solve(qr.matrixR().topRightCorner(r, n - r));
  basis = qr.colsPermutation() * basis;
  for (Eigen::Index k = 0; k < basis.cols(); ++k) basis.col(k) /= basis.col(k).cwiseAbs().maxCoeff();
  basis = (basis.array().abs() > tolerance).select(basis, 0.0);
  return {static_cast<int>(r), scale.asDiagonal() * basis};
}

}  // namespace sparsedyn
