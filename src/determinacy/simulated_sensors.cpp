#include "determinacy/simulated_sensors.hpp"

#include <algorithm>
#include <cmath>

#include "dense/orthogonal.hpp"
#include "reduced_rows.hpp"
#include "sparsedyn/system/detail/one_of.hpp"

namespace sparsedyn {
namespace {

constexpr double rounding_of_row = 1e-11;  // of a coupling, beside the largest of its row

/// How willingly an unknown leaves its wish: wrenches (N) by far before accelerations.
double willingness(VariableKind kind) { return kind == VariableKind::fx ? 1.0 : 1e-4; }

double row_residual(const Pattern& pattern, int r, const double* values, const double* right_side, const double* x) {
  double residual = -right_side[r];
  for (int k = pattern.row_start[r]; k < pattern.row_start[r + 1]; ++k) residual += values[k] * x[pattern.column[k]];
  return residual;
}

/// Rows of C to a largest entry of 1, their right-hand sides with them; what is rounding becomes zero.
void scale_rows(Eigen::MatrixXd& C, Eigen::VectorXd& b) {
  for (Eigen::Index i = 0; i < C.rows(); ++i) {
    const double largest = C.row(i).cwiseAbs().maxCoeff();
    if (!(largest > 0)) continue;
    C.row(i) /= largest, b[i] /= largest;
    C.row(i) = (C.row(i).array().abs() > rounding_of_row).select(C.row(i), 0.0);
  }
}

}  // namespace

SimulatedSensors::SimulatedSensors(const System& system, std::vector<char> fixed)
    : system_(system),
      fixed_(std::move(fixed)),
      units_(natural_units(system.model())),
      reduced_(std::make_unique<ReducedRows>(system)),
      work_(system),
      probe_(system),
      readings_(system),
      z_(reduced_->free_unknowns().size()),
      values_(system.pattern().entries()),
      right_side_(system.pattern().rows),
      gain_(system.inputs().size(), 0.0) {
  sort_constant_rows();
}

SimulatedSensors::~SimulatedSensors() = default;

void SimulatedSensors::sort_constant_rows() {
  const Pattern& pattern = system_.pattern();
  const std::vector<int>& free = reduced_->free_unknowns();
  std::vector<int> place(pattern.columns, -1);
  for (std::size_t k = 0; k < free.size(); ++k)
    if (!fixed_[free[k]]) place[free[k]] = static_cast<int>(k);
  for (int r : reduced_->sensor_rows()) {
    if (system_.input_of(r) >= 0) continue;
    const int entry = pattern.row_start[r];
    int* stated = pattern.row_start[r + 1] == entry + 1 ? &place[pattern.column[entry]] : nullptr;
    if (stated && *stated >= 0)
      pinned_.push_back({r, entry, *stated}), *stated = -1;
    else
      constant_rows_.push_back(r);
  }
  for (int unknown : free)
    if (place[unknown] >= 0) willing_.push_back(place[unknown]);
}

double SimulatedSensors::violate(double* x, std::vector<double>& violation) {
  reduced_->solve(values_.data(), right_side_.data(), z_, x);
  double worst = beside_ = 0;
  for (std::size_t i = 0; i < constant_rows_.size(); ++i) {
    violation[i] = row_residual(system_.pattern(), constant_rows_[i], values_.data(), right_side_.data(), x);
    worst = std::max(worst, std::abs(violation[i]));
    beside_ = std::max(beside_, std::abs(violation[i]) / one_of_row(constant_rows_[i]));
  }
  return worst;
}

double SimulatedSensors::one_of_row(int row) const {
  const Pattern& pattern = system_.pattern();
  double sum = 0;
  for (int k = pattern.row_start[row]; k < pattern.row_start[row + 1]; ++k)
    sum += std::abs(values_[k]) * one_of(system_, units_, pattern.column[k]);
  return sum > 0 ? std::min(1.0, sum) : 1;
}

/// The least change in the scaled unknowns, z += W (C W)⁺ (−violation), with C the constants' answer to each of them.
void SimulatedSensors::obey(const std::vector<double>& violation) {
  const auto constants = static_cast<Eigen::Index>(constant_rows_.size()), n = static_cast<Eigen::Index>(willing_.size());
  const std::vector<double> nothing(right_side_.size(), 0.0);
  std::vector<double> unit(z_.size(), 0.0), x(system_.unknowns().size());
  Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(violation.data(), constants), weight(n);
  Eigen::MatrixXd C(constants, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const int place = willing_[static_cast<std::size_t>(k)];
    weight[k] = willingness(system_.unknowns()[reduced_->free_unknowns()[place]].kind);
    unit[place] = 1.0;
    reduced_->solve(values_.data(), nothing.data(), unit, x.data());
    unit[place] = 0.0;
    for (Eigen::Index i = 0; i < constants; ++i)
      C(i, k) = weight[k] * row_residual(system_.pattern(), constant_rows_[static_cast<std::size_t>(i)], values_.data(),
                                         nothing.data(), x.data());
  }
  scale_rows(C, b);
  const Eigen::VectorXd change = dense_algebra::least_norm(C, b, 1e-9);
  for (Eigen::Index k = 0; k < n; ++k) z_[willing_[static_cast<std::size_t>(k)]] -= weight[k] * change[k];
}

double SimulatedSensors::read(const double* q, const double* v, const double* wish, double* x, double* y) {
  std::fill_n(y, gain_.size(), 0.0);
  system_.assemble(q, v, y, values_.data(), right_side_.data(), work_);
  for (std::size_t k = 0; k < z_.size(); ++k) z_[k] = wish[reduced_->free_unknowns()[k]];
  for (const Pin& pin : pinned_) z_[pin.place] = right_side_[pin.row] / values_[pin.entry];
  std::vector<double> violation(constant_rows_.size());
  double worst = violate(x, violation);
  if (worst > 0 && !willing_.empty()) {
    clear_rounding(probe_.values(q, y), values_);
    obey(violation);
    worst = violate(x, violation);
  }
  readings_.read(q, v, x, y);
  for (std::size_t k = 0; k < gain_.size(); ++k) gain_[k] = std::abs(readings_.slope()[k]);
  return worst;
}

}  // namespace sparsedyn
