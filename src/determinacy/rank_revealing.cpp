#include "rank_revealing.hpp"

#include <vector>

#include "dense/orthogonal.hpp"

namespace sparsedyn {
namespace {

constexpr double seen = 5e-12;          // of the largest pivot
constexpr double of_direction = 3e-10;  // of the largest entry of a direction: less is rounding

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

NullSpace dense_null_space(Eigen::MatrixXd scaled, double tolerance) {
  const Eigen::Index n = scaled.cols();
  if (scaled.rows() == 0 || n == 0) return {0, Eigen::MatrixXd::Identity(n, n)};
  const Eigen::VectorXd scale = equilibrate(scaled);
  dense_algebra::PivotedQR qr(scaled);
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
  basis = (basis.array().abs() > of_direction).select(basis, 0.0);
  return {static_cast<int>(r), scale.asDiagonal() * basis};
}

/// What is left of a matrix once every row with a single entry has fixed that entry's column at zero, and so on.
struct Peeled {
  std::vector<Eigen::Index> rows, columns;
};

Peeled peel(const Eigen::MatrixXd& A) {
  std::vector<char> row_left(static_cast<std::size_t>(A.rows()), 1), column_left(static_cast<std::size_t>(A.cols()), 1);
  std::vector<Eigen::Index> entries(row_left.size()), ready;
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    entries[i] = (A.row(i).array() != 0.0).count();
    if (entries[i] == 1) ready.push_back(i);
  }
  while (!ready.empty()) {
    const Eigen::Index i = ready.back();
    ready.pop_back();
    row_left[i] = 0;
    if (entries[i] != 1) continue;  // another row has fixed its column
    Eigen::Index k = 0;
    while (!column_left[k] || A(i, k) == 0.0) ++k;
    column_left[k] = 0;
    for (Eigen::Index other = 0; other < A.rows(); ++other)
      if (A(other, k) != 0.0 && --entries[other] == 1 && row_left[other]) ready.push_back(other);
  }
  Peeled left;
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    if (row_left[i] && entries[i] > 0) left.rows.push_back(i);
  for (Eigen::Index k = 0; k < A.cols(); ++k)
    if (column_left[k]) left.columns.push_back(k);
  return left;
}

NullSpace judged_null_space(const Eigen::MatrixXd& A, double tolerance) {
  if (A.cols() == 0) return {0, Eigen::MatrixXd(0, 0)};
  const Peeled left = peel(A);
  const NullSpace core = dense_null_space(A(left.rows, left.columns), tolerance);
  NullSpace whole{core.rank + static_cast<int>(A.cols() - core.basis.rows()),
                  Eigen::MatrixXd::Zero(A.cols(), core.basis.cols())};
  if (core.basis.cols() == 0) return whole;  // rows of a matrix without columns have no address
  for (std::size_t k = 0; k < left.columns.size(); ++k)
    whole.basis.row(left.columns[k]) = core.basis.row(static_cast<Eigen::Index>(k));
  return whole;
}

}  // namespace

NullSpace null_space(const Eigen::MatrixXd& A) { return judged_null_space(A, seen); }

int rank_beside_directions(const Eigen::MatrixXd& A) { return judged_null_space(A, of_direction).rank; }

}  // namespace sparsedyn
