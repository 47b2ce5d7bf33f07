// Orthogonal factors of dense matrices, by Eigen: its decompositions take seconds to compile, so that is done once, in
// orthogonal.cpp.
#pragma once

#include <Eigen/QR>

// NOLINTNEXTLINE: what the compiler would otherwise make in each file that declares one
extern template class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;

namespace sparsedyn::dense_algebra {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A P = Q R, columns in the order of their sizes (Businger & Golub 1965).
using PivotedQR = Eigen::ColPivHouseholderQR<MatrixXd>;

/// The x that make ‖A x − B‖ least, a column each; by the factors of A.
MatrixXd solve(const PivotedQR& qr, const MatrixXd& B);
VectorXd solve(const PivotedQR& qr, const VectorXd& b);
/// Q, square.
MatrixXd orthogonal_matrix(const PivotedQR& qr);

/// A = Q R by Householder reflections, Q with as many columns as A.
struct ThinQR {
  MatrixXd Q, R;
};
ThinQR thin_qr(const MatrixXd& A);
/// R alone, with zeros below the diagonal; A: at least as many rows as columns.
MatrixXd triangle(const MatrixXd& A);

/// The shortest x that makes ‖A x − b‖ least. Directions of A below `threshold` of its largest are taken for none.
VectorXd least_norm(const MatrixXd& A, const VectorXd& b, double threshold);

/// A = U Σ Vᵀ by Jacobi rotations: Σ's diagonal, largest first, and V (as many columns as values).
struct SingularValues {
  VectorXd values;
  MatrixXd V;
};
SingularValues singular_values(const MatrixXd& A);

}  // namespace sparsedyn::dense_algebra
