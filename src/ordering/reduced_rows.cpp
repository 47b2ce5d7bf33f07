#include "reduced_rows.hpp"

#include <stdexcept>

namespace sparsedyn {
namespace {

constexpr double rounding = 1e-12;  // of a sum, beside its terms

bool is_free_kind(VariableKind kind) { return kind == VariableKind::ddq || kind == VariableKind::fx; }

/// At once, where it arises: bounds carried along a chain of rotations would grow with a power of its length.
template <class Values, class Magnitude>
void clear_rounding(Values&& values, const Magnitude& magnitude) {
  values = (values.array().abs() > rounding * magnitude.array()).select(values, 0.0);
}

}  // namespace

/// Finds the order of solving: again and again a row with one unknown left that is not free.
ReducedRows::ReducedRows(const System& system) : pattern_(system.pattern()), place_(system.unknowns().size(), -1) {
  for (const Variable& unknown : system.unknowns()) is_free_.push_back(is_free_kind(unknown.kind));
  for (std::size_t x = 0; x < is_free_.size(); ++x)
    if (is_free_[x]) {
      place_[x] = static_cast<int>(free_.size());
      free_.push_back(static_cast<int>(x));
    }
  std::vector<std::vector<int>> rows_with(is_free_.size());
  std::vector<int> left(pattern_.rows, 0), ready;
  for (int r = 0; r < pattern_.rows; ++r) {
    if (system.equations()[r].kind == EquationKind::sensor) {
      sensor_rows_.push_back(r);
      continue;
    }
    for (int k = pattern_.row_start[r]; k < pattern_.row_start[r + 1]; ++k)
      if (!is_free_[pattern_.column[k]]) ++left[r], rows_with[pattern_.column[k]].push_back(r);
    if (left[r] == 1) ready.push_back(r);
  }
  while (!ready.empty()) {
    const int r = ready.back();
    ready.pop_back();
    if (left[r] != 1) continue;
    int unknown = -1;
    for (int k = pattern_.row_start[r]; k < pattern_.row_start[r + 1]; ++k)
      if (place_[pattern_.column[k]] < 0) unknown = pattern_.column[k];
    place_[unknown] = static_cast<int>(steps_.size());
    steps_.push_back({r, unknown});
    for (int other : rows_with[unknown])
      if (--left[other] == 1) ready.push_back(other);
  }
  if (steps_.size() + free_.size() != is_free_.size())
    throw std::logic_error("the Newton-Euler rows do not determine accelerations, wrenches and torques");
}

void ReducedRows::reduce(const double* values) {
  const auto n = static_cast<Eigen::Index>(free_.size());
  X_.setZero(static_cast<Eigen::Index>(steps_.size()), n);
  R_.setZero(static_cast<Eigen::Index>(sensor_rows_.size()), n);
  Eigen::RowVectorXd magnitude(n);
  const auto add_row = [&](int r, int skipped, auto&& sum) {
    magnitude.setZero();
    for (int k = pattern_.row_start[r]; k < pattern_.row_start[r + 1]; ++k) {
      const int x = pattern_.column[k];
      if (x == skipped) continue;
      if (is_free_[x]) {
        sum(place_[x]) += values[k];
        magnitude(place_[x]) += std::abs(values[k]);
      } else {
        sum += values[k] * X_.row(place_[x]);
        magnitude += std::abs(values[k]) * X_.row(place_[x]).cwiseAbs();
      }
    }
    clear_rounding(sum, magnitude);
  };
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto [r, unknown] = steps_[i];
    double pivot = 0;
    for (int k = pattern_.row_start[r]; k < pattern_.row_start[r + 1]; ++k)
      if (pattern_.column[k] == unknown) pivot = values[k];
    const auto row = static_cast<Eigen::Index>(i);
    add_row(r, unknown, X_.row(row));
    X_.row(row) /= -pivot;
  }
  for (std::size_t i = 0; i < sensor_rows_.size(); ++i) {
    add_row(sensor_rows_[i], -1, R_.row(static_cast<Eigen::Index>(i)));
  }
}

void ReducedRows::solve(const double* values, const double* right_side, const std::vector<double>& z, double* x) const {
  for (std::size_t k = 0; k < free_.size(); ++k) x[free_[k]] = z[k];
  for (const auto& [r, unknown] : steps_) {
    double sum = right_side[r], pivot = 0;
    for (int k = pattern_.row_start[r]; k < pattern_.row_start[r + 1]; ++k)
      if (pattern_.column[k] == unknown)
        pivot = values[k];
      else
        sum -= values[k] * x[pattern_.column[k]];
    x[unknown] = sum / pivot;
  }
}

Eigen::MatrixXd ReducedRows::expand(const Eigen::MatrixXd& Z) const {
  if (Z.cols() == 0) return Eigen::MatrixXd(static_cast<Eigen::Index>(place_.size()), 0);
  Eigen::MatrixXd solved = X_ * Z;
  clear_rounding(solved, X_.cwiseAbs() * Z.cwiseAbs());
  Eigen::MatrixXd all(static_cast<Eigen::Index>(place_.size()), Z.cols());
  for (std::size_t x = 0; x < place_.size(); ++x) {
    const auto row = static_cast<Eigen::Index>(x);
    if (is_free_[x])
      all.row(row) = Z.row(place_[x]);
    else
      all.row(row) = solved.row(place_[x]);
  }
  return all;
}

}  // namespace sparsedyn
