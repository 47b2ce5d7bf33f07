#include "least_squares.hpp"

namespace sparsedyn {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Factors that bring each column's largest magnitude to 1.
VectorXd column_factors(const MatrixXd& A) {
  const VectorXd largest = A.cwiseAbs().colwise().maxCoeff().transpose();
  return (largest.array() > 0).select(largest.cwiseInverse(), VectorXd::Ones(largest.size()));
}

}  // namespace

MatrixXd stacked(const MatrixXd& above, const MatrixXd& below) {
  MatrixXd both(above.rows() + below.rows(), above.cols());
  both << above, below;
  return both;
}

MatrixXd precise_null_space(const MatrixXd& A, Index dimension) {
  const Index n = A.cols();
  if (A.rows() == 0 || dimension == 0) return MatrixXd::Identity(n, n).leftCols(dimension);
  const VectorXd unit = column_factors(A);
  MatrixXd scaled = A * unit.asDiagonal();
  const VectorXd largest = scaled.cwiseAbs().rowwise().maxCoeff();
  scaled = (largest.array() > 0).select(largest.cwiseInverse(), VectorXd::Ones(largest.size())).asDiagonal() * scaled;
  const dense_algebra::PivotedQR qr(scaled.transpose());
  return unit.asDiagonal() * dense_algebra::orthogonal_matrix(qr).rightCols(dimension);
}

LeastSquares::LeastSquares(const MatrixXd& A, const MatrixXd& open)
    : rows_(A.rows()), unit_(A.rows() ? column_factors(A) : VectorXd::Ones(A.cols())) {
  MatrixXd closed = unit_.cwiseInverse().asDiagonal() * open;
  for (Index k = 0; k < closed.cols(); ++k) closed.col(k).normalize();
  if (A.cols() > 0) qr_.compute(stacked(A * unit_.asDiagonal(), closed.transpose()));
}

VectorXd LeastSquares::solve(const VectorXd& r) const {
  if (unit_.size() == 0) return VectorXd(0);
  VectorXd right_side = VectorXd::Zero(qr_.rows());
  right_side.head(rows_) = r;
  return unit_.asDiagonal() * dense_algebra::solve(qr_, right_side);
}

/// R⁻ᵀ g.
VectorXd LeastSquares::half_solved(const VectorXd& g) const {
  VectorXd u = qr_.colsPermutation().transpose() * VectorXd(unit_.asDiagonal() * g);
  qr_.matrixR().topLeftCorner(u.size(), u.size()).template triangularView<Eigen::Upper>().transpose().solveInPlace(u);
  return u;
}

double LeastSquares::variance(const VectorXd& g) const { return unit_.size() == 0 ? 0 : half_solved(g).squaredNorm(); }

VectorXd LeastSquares::normal_solve(const VectorXd& g) const {
  if (unit_.size() == 0) return VectorXd(0);
  VectorXd u = half_solved(g);
  qr_.matrixR().topLeftCorner(u.size(), u.size()).template triangularView<Eigen::Upper>().solveInPlace(u);
  return unit_.asDiagonal() * VectorXd(qr_.colsPermutation() * u);
}

}  // namespace sparsedyn
