#include "orthogonal.hpp"

#include <Eigen/SVD>

template class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;

namespace sparsedyn::dense_algebra {

MatrixXd solve(const PivotedQR& qr, const MatrixXd& B) { return qr.solve(B); }
VectorXd solve(const PivotedQR& qr, const VectorXd& b) { return solve(qr, MatrixXd(b)); }
MatrixXd orthogonal_matrix(const PivotedQR& qr) { return qr.householderQ(); }

ThinQR thin_qr(const MatrixXd& A) {
  const Eigen::HouseholderQR<MatrixXd> qr(A);
  const Eigen::Index n = A.cols();
  return {qr.householderQ() * MatrixXd::Identity(A.rows(), n), qr.matrixQR().topRows(n).triangularView<Eigen::Upper>()};
}

MatrixXd triangle(const MatrixXd& A) {
  const Eigen::HouseholderQR<MatrixXd> qr(A);
  return qr.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>();
}

VectorXd least_norm(const MatrixXd& A, const VectorXd& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factors;
  factors.setThreshold(threshold);
  return factors.compute(A).solve(b);
}

SingularValues singular_values(const MatrixXd& A) {
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeThinV);
  return {svd.singularValues(), svd.matrixV()};
}

}  // namespace sparsedyn::dense_algebra
