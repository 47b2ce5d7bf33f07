// What rows determine at a state, by singular values of the whole matrix.
#pragma once

#include <Eigen/SVD>
#include <cmath>
#include <vector>

#include "reference.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn::test {

inline std::vector<double> sigmas_of(const System& system) {
  std::vector<double> sigma(system.pattern().rows, 0.0);
  for (const Measurement& m : system.measurements())
    for (int k = 0; k < m.rows(); ++k) sigma[m.first_row + k] = m.sigma[k];
  return sigma;
}

inline Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A, Eigen::MatrixXd& null) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const auto& s = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < s.size() && s[rank] > 1e-10 * s[0]) ++rank;
  null = svd.matrixV().rightCols(A.cols() - rank);
  return svd.matrixV().leftCols(rank) * s.head(rank).cwiseInverse().asDiagonal() * svd.matrixU().leftCols(rank).transpose();
}

/// All by singular values: the exact rows' pseudo-inverse and null space, in that the weighed ones'.
struct DenseTruth {
  Eigen::VectorXd x, deviation;
  std::vector<bool> determined;
  double chi_square = 0;
  std::vector<double> residual;  // of each row of the system: (y − Y x)/σ where it is noisy and there, else 0
};

inline DenseTruth truth(const System& system, const SampleState& s, const std::vector<double>& sigma) {
  const Pattern& p = system.pattern();
  std::vector<double> values(p.entries()), y = s.y;
  for (double& r : y) r = std::isnan(r) ? 0 : r;
  Eigen::VectorXd b(p.rows);
  SystemWorkspace<double> work(system);
  system.assemble(s.q.data(), s.v.data(), y.data(), values.data(), b.data(), work);
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(p.rows, p.columns);
  for (int r = 0; r < p.rows; ++r)
    for (int e = p.row_start[r]; e < p.row_start[r + 1]; ++e) Y(r, p.column[e]) = values[e];
  Eigen::MatrixXd exact(0, p.columns), weighed(0, p.columns);
  Eigen::VectorXd a(0), c(0);
  std::vector<int> rows;  // the noisy ones
  const auto add = [](Eigen::MatrixXd& A, Eigen::VectorXd& d, const Eigen::RowVectorXd& row, double right) {
    A.conservativeResize(A.rows() + 1, row.size()), d.conservativeResize(d.size() + 1);
    A.row(A.rows() - 1) = row, d[d.size() - 1] = right;
  };
  for (int r = 0; r < p.rows; ++r) {
    const int k = system.equations()[r].measurement;
    const int input = k < 0 ? -1 : system.measurements()[k].inputs[r - system.measurements()[k].first_row];
    if (input >= 0 && std::isnan(s.y[input])) continue;
    if (sigma[r] > 0) rows.push_back(r);
    if (sigma[r] > 0)
      add(weighed, c, Y.row(r) / sigma[r], b[r] / sigma[r]);
    else
      add(exact, a, Y.row(r), b[r]);
  }
  const Eigen::Index noisy = weighed.rows();
  for (int j = 0; j < p.columns; ++j) {
    const auto prior = system.sensors().prior.find(kind_name(system.unknowns()[j].kind));
    if (prior != system.sensors().prior.end()) add(weighed, c, Eigen::RowVectorXd::Unit(p.columns, j) / prior->second, 0);
  }
  Eigen::MatrixXd N, open;
  const Eigen::VectorXd held = pseudo_inverse(exact, N) * a;
  const Eigen::MatrixXd inverse = weighed.rows() ? pseudo_inverse(weighed * N, open) : Eigen::MatrixXd(N.cols(), 0);
  if (!weighed.rows()) open = Eigen::MatrixXd::Identity(N.cols(), N.cols());
  const Eigen::MatrixXd unseen = N * open, root = N * inverse;
  DenseTruth found{held + root * (c - weighed * held), root.rowwise().norm(), {}, 0, std::vector<double>(p.rows, 0.0)};
  found.chi_square = (c - weighed * found.x).head(noisy).squaredNorm();
  for (Eigen::Index k = 0; k < noisy; ++k) found.residual[rows[k]] = (c - weighed * found.x)[k];
  for (int j = 0; j < p.columns; ++j)
    found.determined.push_back(unseen.cols() == 0 || unseen.row(j).cwiseAbs().maxCoeff() < 1e-9);
  return found;
}

}  // namespace sparsedyn::test
