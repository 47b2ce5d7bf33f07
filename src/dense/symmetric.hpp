// Symmetric dense matrices, by Eigen: factors, inverses and eigenvalues, compiled once. The lower triangle is read.
#pragma once

#include <Eigen/Eigenvalues>
#include <optional>

namespace sparsedyn::dense_algebra {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// L of A = L Lᵀ, zeros above the diagonal, or nothing if A is not positive definite.
std::optional<MatrixXd> cholesky(const MatrixXd& A);
/// L⁻¹ B.
MatrixXd solve_lower(const MatrixXd& L, const MatrixXd& B);
/// A⁻¹ by Cholesky factors, or nothing if A is not positive definite.
std::optional<MatrixXd> inverse_of_positive(const MatrixXd& A);
/// A⁻¹ b by A = L Lᵀ, or nothing if A is not positive definite.
std::optional<VectorXd> solve_positive(const MatrixXd& A, const VectorXd& b);
/// Eigenvalues, the least first, and the eigenvectors as columns.
struct SymmetricEigen {
  VectorXd values;
  MatrixXd vectors;
};
SymmetricEigen symmetric_eigen(const MatrixXd& A);
VectorXd symmetric_eigenvalues(const MatrixXd& A);
/// The same into a solver that is kept, for those who decompose often.
void decompose(const MatrixXd& A, Eigen::SelfAdjointEigenSolver<MatrixXd>& solver);

}  // namespace sparsedyn::dense_algebra
