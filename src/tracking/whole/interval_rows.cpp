#include "tracking/whole/interval_rows.hpp"

#include <algorithm>
#include <stdexcept>

#include "runtime/write_outputs.hpp"
#include "system/sensor_rows.hpp"

namespace sparsedyn::tracking {
namespace {

/// A sensor's row of one entry, ±1 at every state, that holds a constant exactly.
bool states_exactly(const System& system, int row) {
  const Pattern& pattern = system.pattern();
  const int entry = pattern.row_start[row];
  if (pattern.row_start[row + 1] != entry + 1) return false;
  if (system.equations()[row].kind != EquationKind::sensor || system.input_of(row) >= 0) return false;
  return system.sigma_of(row) == 0 && system.constants()[entry] != 0 &&
         system.unknowns()[pattern.column[entry]].kind == VariableKind::fx;
}

}  // namespace

IntervalRows::IntervalRows(const System& system, int freed)
    : system_(system),
      pattern_(system.pattern()),
      nv_(system.model().nv),
      known_(system.unknowns().size(), 0),
      work_(system),
      changes_(system),
      values_(pattern_.entries()),
      right_side_(static_cast<std::size_t>(pattern_.rows)),
      x_(static_cast<std::size_t>(pattern_.columns), 0.0) {
  list_unknowns(freed);
  steps_ = solving_order(system_, known_);
  for (std::size_t m = 0; m < system.measurements().size(); ++m) {
    const Measurement& sensor = system.measurements()[m];
    if (sensor.kind != SensorKind::gyroscope) continue;
    for (std::size_t k = 0; k < sensor.components.size(); ++k) turns_.push_back({static_cast<int>(m), static_cast<int>(k)});
  }
  width_ = static_cast<int>(free_.size()) + 2 * nv_;
  const auto width = static_cast<std::size_t>(width_);
  residual_.resize(static_cast<std::size_t>(rows()));
  T_.resize(x_.size() * width), D_.resize(residual_.size() * width), change_.resize(right_side_.size() * width);
}

void IntervalRows::list_unknowns(int freed) {
  for (int v = 0; v < nv_; ++v) free_.push_back(system_.ddq_column(v));
  for (int x : free_) known_[static_cast<std::size_t>(x)] = 1;
  for (int r = 0; r < pattern_.rows; ++r) {
    if (!is_added(system_.equations()[r].kind)) continue;
    if (!states_exactly(system_, r)) {
      rows_.push_back(r);
      continue;
    }
    const int unknown = pattern_.column[pattern_.row_start[r]];
    if (known_[static_cast<std::size_t>(unknown)] || system_.unknowns()[static_cast<std::size_t>(unknown)].owner == freed)
      continue;
    known_[static_cast<std::size_t>(unknown)] = 1;
    stated_.push_back({r, unknown});
  }
  for (std::size_t x = 0; x < known_.size(); ++x) {
    const VariableKind kind = system_.unknowns()[x].kind;
    if (known_[x] || (kind != VariableKind::fx && kind != VariableKind::lambda)) continue;
    known_[x] = 1;
    free_.push_back(static_cast<int>(x));
  }
}

void IntervalRows::watch(const Outputs& outputs) {
  if (outputs.only_unknowns()) return;
  watched_ = &outputs;
  E_.resize(outputs.columns().size() * 2 * static_cast<std::size_t>(nv_));
  held_.resize(x_.size(), SystemDerivatives::Number(0.0));
  output_.resize(outputs.columns().size(), SystemDerivatives::Number(0.0));
}

void IntervalRows::find(const double* q, const double* v, const double* y, const double* z) noexcept {
  system_.assemble(q, v, y, values_.data(), right_side_.data(), work_);
  for (std::size_t k = 0; k < free_.size(); ++k) x_[static_cast<std::size_t>(free_[k])] = z[k];
  for (const SolvingStep& s : stated_) x_[s.unknown] = right_side_[s.row] / values_[pattern_.row_start[s.row]];
  for (const SolvingStep& s : steps_) {
    double sum = right_side_[s.row], pivot = 0;
    for (int k = pattern_.row_start[s.row]; k < pattern_.row_start[s.row + 1]; ++k)
      if (pattern_.column[k] == s.unknown)
        pivot = values_[k];
      else
        sum -= values_[k] * x_[pattern_.column[k]];
    x_[s.unknown] = sum / pivot;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int r = rows_[i];
    double rest = right_side_[r];
    for (int k = pattern_.row_start[r]; k < pattern_.row_start[r + 1]; ++k) rest -= values_[k] * x_[pattern_.column[k]];
    residual_[i] = rest;
  }
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    const Measurement& m = system_.measurements()[turns_[i].measurement];
    residual_[rows_.size() + i] = sensors::predicted_angular_velocity(m, work_)[m.components[turns_[i].component]];
  }
}

/// δb − δA x of each equation along a direction of the state.
void IntervalRows::collect(const EquationChange& change, int direction) noexcept {
  for (const EquationChange::RightSide& b : change.right_side) at(change_, b.row)[direction] += b.value;
  for (const EquationChange::Entry& a : change.matrix) at(change_, a.row)[direction] -= a.value * x_[a.column];
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    const Measurement& m = system_.measurements()[turns_[i].measurement];
    at(D_, static_cast<int>(rows_.size() + i))[direction] =
        sensors::predicted_angular_velocity(m, changes_.work())[m.components[turns_[i].component]].d[0];
  }
  if (!watched_) return;
  watched_->write(held_.data(), changes_.inputs(), changes_.work(), output_.data());
  for (std::size_t c = 0; c < output_.size(); ++c)
    E_[c * 2 * static_cast<std::size_t>(nv_) + static_cast<std::size_t>(direction - of_q())] = output_[c].d[0];
}

void IntervalRows::collect_changes() noexcept {
  std::fill(change_.begin(), change_.end(), 0.0);
  for (int k = 0; k < nv_; ++k) collect(changes_.along_q(k), of_q() + k);
  for (int k = 0; k < nv_; ++k) collect(changes_.along_v(k), of_v() + k);
}

void IntervalRows::find_derivatives(const double* q, const double* v, const double* y, const double* z) noexcept {
  find(q, v, y, z);
  changes_.at(q, v, y, x_.data());
  for (std::size_t k = 0; k < held_.size(); ++k) held_[k] = SystemDerivatives::Number(x_[k]);
  std::fill(T_.begin(), T_.end(), 0.0), std::fill(D_.begin(), D_.end(), 0.0);
  collect_changes();
  const auto subtract = [&](double* to, int unknown, double value) {
    const double* const from = at(T_, unknown);
    for (int c = 0; c < width_; ++c) to[c] -= value * from[c];
  };
  for (std::size_t k = 0; k < free_.size(); ++k) at(T_, free_[k])[k] = 1;
  for (const SolvingStep& s : steps_) {
    double* const to = at(T_, s.unknown);
    std::copy_n(at(change_, s.row), width_, to);
    double pivot = 0;
    for (int k = pattern_.row_start[s.row]; k < pattern_.row_start[s.row + 1]; ++k)
      if (pattern_.column[k] == s.unknown)
        pivot = values_[k];
      else
        subtract(to, pattern_.column[k], values_[k]);
    const double scale = 1 / pivot;
    for (int c = 0; c < width_; ++c) to[c] *= scale;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int r = rows_[i];
    double* const to = at(D_, static_cast<int>(i));
    for (int c = 0; c < width_; ++c) to[c] = -at(change_, r)[c];
    for (int k = pattern_.row_start[r]; k < pattern_.row_start[r + 1]; ++k) subtract(to, pattern_.column[k], -values_[k]);
  }
}

}  // namespace sparsedyn::tracking
