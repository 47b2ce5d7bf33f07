#include "tracking/visibility/held_forces.hpp"

#include <Eigen/QR>
#include <algorithm>

namespace sparsedyn::tracking {
namespace {

/// Rows of IntervalRows that must hold exactly and that these forces move, at the state of the last find_derivatives().
std::vector<int> rows_to_hold(const System& system, const IntervalRows& rows, const std::vector<int>& forces) {
  std::vector<int> found;
  for (int i = 0; i < rows.first_turn(); ++i) {
    if (const auto k = static_cast<std::size_t>(i); k < rows.equations().size()) {
      const int r = rows.equations()[k];
      const bool exact = system.input_of(r) < 0 && system.sigma_of(r) == 0;
      if (!exact || std::none_of(forces.begin(), forces.end(), [&](int f) { return rows.derivative(i)[f] != 0; })) continue;
    }
    found.push_back(i);
  }
  return found;
}

}  // namespace

void hold_exact_rows(const System& system, IntervalRows& rows, const std::vector<int>& forces, const double* q, const double* v,
                     const std::vector<double>& none, std::vector<double>& z) {
  for (int k : forces) z[static_cast<std::size_t>(k)] = 0;
  if (forces.empty()) return;
  rows.find_derivatives(q, v, none.data(), z.data());
  const std::vector<int> held = rows_to_hold(system, rows, forces);
  if (held.empty()) return;
  Eigen::MatrixXd D(static_cast<Eigen::Index>(held.size()), static_cast<Eigen::Index>(forces.size()));
  Eigen::VectorXd r(D.rows());
  for (Eigen::Index i = 0; i < D.rows(); ++i) {
    const int row = held[static_cast<std::size_t>(i)];
    r(i) = rows.residual(row);
    for (Eigen::Index k = 0; k < D.cols(); ++k) D(i, k) = rows.derivative(row)[forces[static_cast<std::size_t>(k)]];
  }
  const Eigen::VectorXd force = D.completeOrthogonalDecomposition().solve(r);
  for (Eigen::Index k = 0; k < D.cols(); ++k) z[static_cast<std::size_t>(forces[static_cast<std::size_t>(k)])] = force(k);
}

std::vector<int> loop_forces(const System& system, const IntervalRows& rows) {
  std::vector<int> found;
  for (std::size_t k = 0; k < rows.free_unknowns().size(); ++k)
    if (system.unknowns()[static_cast<std::size_t>(rows.free_unknowns()[k])].kind == VariableKind::lambda)
      found.push_back(static_cast<int>(k));
  return found;
}

}  // namespace sparsedyn::tracking
