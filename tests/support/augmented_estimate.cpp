#include "augmented_estimate.hpp"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "quad.hpp"

namespace sparsedyn::test {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
using LongSparse = Eigen::SparseMatrix<long double>;  // by columns; K is symmetric

LongSparse augmented_matrix(const Eigen::MatrixXd& Y, const std::vector<char>& exact, const Eigen::VectorXd& weight,
                            const Eigen::VectorXd& precision) {
  const Eigen::Index m = Y.rows(), n = Y.cols();
  std::vector<Eigen::Triplet<long double>> entries;
  for (Eigen::Index r = 0; r < m; ++r) {
    const bool is_exact = exact[static_cast<std::size_t>(r)], counts = is_exact || weight[r] > 0;
    if (!is_exact) entries.emplace_back(r, r, counts ? 1 / (static_cast<long double>(weight[r]) * weight[r]) : 1);
    if (!counts) continue;  // l = 0
    for (Eigen::Index j = 0; j < n; ++j)
      if (Y(r, j) != 0) entries.emplace_back(r, m + j, Y(r, j)), entries.emplace_back(m + j, r, Y(r, j));
  }
  for (Eigen::Index j = 0; j < n; ++j)
    if (precision[j] != 0) entries.emplace_back(m + j, m + j, -precision[j]);
  LongSparse K(m + n, m + n);
  K.setFromTriplets(entries.begin(), entries.end());
  return K;
}

/// s with max_j |s_i K_ij s_j| near 1 in each row i.
LongVector equilibration(const LongSparse& K) {
  LongVector s = LongVector::Ones(K.rows());
  for (int pass = 0; pass < 4; ++pass)
    for (Eigen::Index i = 0; i < K.cols(); ++i) {
      long double largest = 0;
      for (LongSparse::InnerIterator k(K, i); k; ++k) largest = std::max(largest, s[i] * std::abs(k.value()) * s[k.row()]);
      if (largest > 0) s[i] /= std::sqrt(largest);
    }
  return s;
}

/// S K S, with more precision for unknowns that have next to none, which rounding would take for zero. Refinement removes what
/// that does to the others: each pass is one of the proximal point method (Rockafellar, SIAM J. Control Optim. 14, 1976).
LongSparse scaled_matrix(const LongSparse& K, const LongVector& s, const Eigen::VectorXd& precision) {
  constexpr long double proximal = 1e-16;
  LongSparse scaled = s.asDiagonal() * K * s.asDiagonal();
  const Eigen::Index m = K.rows() - precision.size();
  for (Eigen::Index j = 0; j < precision.size(); ++j)
    if (precision[j] == next_to_no_precision) scaled.coeffRef(m + j, m + j) -= proximal;
  scaled.makeCompressed();
  return scaled;
}

/// right − K z, its sums in `Sum`'s precision.
template <class Sum>
LongVector residual(const LongSparse& K, const LongVector& z, const LongVector& right) {
  LongVector r(K.cols());
  for (Eigen::Index i = 0; i < K.cols(); ++i) {
    Sum sum = right[i];
    for (LongSparse::InnerIterator k(K, i); k; ++k)
      if (z[k.row()] != 0) sum -= static_cast<Sum>(k.value()) * z[k.row()];
    r[i] = static_cast<long double>(sum);
  }
  return r;
}

template <class Sum>
DenseEstimate refined_by(const Eigen::MatrixXd& Y, const Eigen::VectorXd& y, const std::vector<char>& exact,
                         const Eigen::VectorXd& weight, const Eigen::VectorXd& precision) {
  const Eigen::Index m = Y.rows(), n = Y.cols();
  const LongSparse K = augmented_matrix(Y, exact, weight, precision);
  LongVector right = LongVector::Zero(m + n);
  for (Eigen::Index r = 0; r < m; ++r)
    if (exact[static_cast<std::size_t>(r)] || weight[r] > 0) right[r] = y[r];

  const LongVector s = equilibration(K);
  Eigen::SparseLU<LongSparse> lu;
  lu.compute(scaled_matrix(K, s, precision));
  if (lu.info() != Eigen::Success) throw std::runtime_error("augmented_estimate: a singular matrix");
  // Of those that are compared: in directions that nothing determines, rounding moves z on and on.
  const LongVector compared = (precision.array() != next_to_no_precision).cast<long double>();
  const auto largest = [&](const LongVector& z) { return z.tail(n).cwiseProduct(compared).cwiseAbs().maxCoeff(); };
  bool all_converged = true;
  // Until a pass changes next to nothing, and much less than the one before: what it leaves is then smaller by that factor.
  const auto unknowns = [&](const LongVector& of) -> Eigen::VectorXd {
    LongVector z = LongVector::Zero(m + n);
    bool converged = false;
    long double before = 0;
    for (int pass = 0; pass < 30 && !converged; ++pass) {
      const LongVector scaled = s.asDiagonal() * (pass ? residual<Sum>(K, z, of) : of);
      const LongVector change = s.asDiagonal() * LongVector(lu.solve(scaled));
      z += change;
      const long double moved = largest(change);
      converged = pass > 0 && moved <= 1e-11L * std::max(1e-3L, largest(z)) && moved <= 0.5L * before;
      before = moved;
    }
    all_converged = all_converged && converged;
    return z.tail(n).cast<double>();
  };
  DenseEstimate estimate{unknowns(right), Eigen::MatrixXd::Zero(n, n), true};
  for (Eigen::Index j = 0; j < n; ++j)
    if (precision[j] != next_to_no_precision) estimate.covariance.col(j) = -unknowns(LongVector::Unit(m + n, m + j));
  estimate.converged = all_converged;
  return estimate;
}

}  // namespace

DenseEstimate augmented_estimate(const Eigen::MatrixXd& Y, const Eigen::VectorXd& y, const std::vector<char>& exact,
                                 const Eigen::VectorXd& weight, const Eigen::VectorXd& precision) {
  return refined_by<Float128>(Y, y, exact, weight, precision);
}

DenseEstimate quick_augmented_estimate(const Eigen::MatrixXd& Y, const Eigen::VectorXd& y, const std::vector<char>& exact,
                                       const Eigen::VectorXd& weight, const Eigen::VectorXd& precision) {
  return refined_by<long double>(Y, y, exact, weight, precision);
}

}  // namespace sparsedyn::test
