#include "sparsedyn/ordering/simulated_sensors.hpp"

#include <Eigen/QR>
#include <algorithm>

#include "reduced_rows.hpp"

namespace sparsedyn {
namespace {

/// How willingly an unknown leaves its wish: wrenches (N) by far before accelerations.
double willingness(VariableKind kind) { return kind == VariableKind::fx ? 1.0 : 1e-4; }

double row_residual(const Pattern& pattern, int r, const double* values, const double* right_side, const double* x) {
  double residual = -right_side[r];
  for (int k = pattern.row_start[r]; k < pattern.row_start[r + 1]; ++k) residual += values[k] * x[pattern.column[k]];
  return residual;
}

}  // namespace

SimulatedSensors::SimulatedSensors(const System& system, std::vector<char> fixed)
    : system_(system),
      fixed_(std::move(fixed)),
      reduced_(std::make_unique<ReducedRows>(system)),
      work_(system),
      values_(system.pattern().entries()),
      right_side_(system.pattern().rows),
      other_values_(values_),
      other_right_side_(right_side_),
      gain_(system.inputs().size(), 0.0) {
  for (std::size_t i = 0; i < reduced_->sensor_rows().size(); ++i) {
    const int r = reduced_->sensor_rows()[i];
    const Measurement& m = system.measurements()[system.equations()[r].measurement];
    if (m.inputs.empty() || m.inputs[r - m.first_row] < 0) constant_rows_.push_back(static_cast<int>(i));
  }
}

SimulatedSensors::~SimulatedSensors() = default;

double SimulatedSensors::read(const double* q, const double* v, const double* wish, double* x, double* y) {
  std::fill_n(y, gain_.size(), 0.0);
  system_.assemble(q, v, y, values_.data(), right_side_.data(), work_);
  reduced_->reduce(values_.data());
  const std::vector<int>& free = reduced_->free_unknowns();
  const auto constants = static_cast<Eigen::Index>(constant_rows_.size());
  Eigen::VectorXd z(static_cast<Eigen::Index>(free.size())), willing(z.size()), violation(constants);
  for (std::size_t k = 0; k < free.size(); ++k) {
    z[static_cast<Eigen::Index>(k)] = wish[free[k]];
    willing[static_cast<Eigen::Index>(k)] = fixed_[free[k]] ? 0.0 : willingness(system_.unknowns()[free[k]].kind);
  }
  const auto violate = [&] {
    reduced_->solve(values_.data(), right_side_.data(), z, x);
    for (Eigen::Index i = 0; i < constants; ++i)
      violation[i] =
          row_residual(system_.pattern(), reduced_->sensor_rows()[constant_rows_[i]], values_.data(), right_side_.data(), x);
  };
  violate();
  if (constants > 0) {
    // least change in the scaled unknowns: z += W (C W)⁺ (−violation)
    Eigen::MatrixXd C(constants, z.size());
    for (Eigen::Index i = 0; i < constants; ++i) C.row(i) = reduced_->rows().row(constant_rows_[i]);
    C = C * willing.asDiagonal();
    z -= willing.cwiseProduct(C.completeOrthogonalDecomposition().solve(violation));
    violate();
  }
  read_rows(q, v, x, y);
  return constants > 0 ? violation.cwiseAbs().maxCoeff() : 0.0;
}

/// A row's residual is affine in its own reading: the reading that makes it vanish follows from two values of it.
void SimulatedSensors::read_rows(const double* q, const double* v, const double* x, double* y) {
  const std::vector<double> ones(gain_.size(), 1.0);
  system_.assemble(q, v, ones.data(), other_values_.data(), other_right_side_.data(), work_);
  for (const Measurement& m : system_.measurements())
    for (int k = 0; k < m.rows(); ++k) {
      if (m.inputs[k] < 0) continue;
      const int r = m.first_row + k;
      const double at_zero = row_residual(system_.pattern(), r, values_.data(), right_side_.data(), x);
      const double slope = row_residual(system_.pattern(), r, other_values_.data(), other_right_side_.data(), x) - at_zero;
      gain_[m.inputs[k]] = std::abs(1.0 / slope);
      y[m.inputs[k]] = -at_zero / slope;
    }
}

}  // namespace sparsedyn
