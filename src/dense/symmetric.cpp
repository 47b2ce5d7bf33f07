#include "symmetric.hpp"

#include <Eigen/Cholesky>

namespace sparsedyn::dense_algebra {

std::optional<MatrixXd> cholesky(const MatrixXd& A) {
  const Eigen::LLT<MatrixXd> factor(A);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return MatrixXd(factor.matrixL());
}

MatrixXd solve_lower(const MatrixXd& L, const MatrixXd& B) { return L.triangularView<Eigen::Lower>().solve(B); }

std::optional<MatrixXd> inverse_of_positive(const MatrixXd& A) {
  const Eigen::LLT<MatrixXd> factor(A);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return MatrixXd(factor.solve(MatrixXd::Identity(A.rows(), A.cols())));
}

std::optional<VectorXd> solve_positive(const MatrixXd& A, const VectorXd& b) {
  const Eigen::LLT<MatrixXd> factor(A);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return VectorXd(factor.solve(b));
}

SymmetricEigen symmetric_eigen(const MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

VectorXd symmetric_eigenvalues(const MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

void decompose(const MatrixXd& A, Eigen::SelfAdjointEigenSolver<MatrixXd>& solver) { solver.compute(A); }

}  // namespace sparsedyn::dense_algebra
