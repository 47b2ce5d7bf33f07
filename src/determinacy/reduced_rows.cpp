#include "reduced_rows.hpp"

#include <algorithm>
#include <stdexcept>

#include "system/unit_entries.hpp"

namespace sparsedyn {
namespace {

constexpr double rounding = 1e-12;  // of a sum, beside its terms
constexpr double leakage = 1e-9;    // of what a direction makes, likewise: its entries below 3e-10 were taken for zero

bool is_free(const System& system, const Variable& unknown) {
  const VariableKind kind = unknown.kind;
  return kind == VariableKind::ddq || kind == VariableKind::fx ||
         (kind == VariableKind::lambda && !system.closures()[unknown.owner].follows(unknown.component));
}

/// At once, where it arises: bounds carried along a chain of rotations would grow with a power of its length.
template <class Values, class Magnitude>
void clear_rounding(Values&& values, const Magnitude& magnitude, double share = rounding) {
  values = (values.array().abs() > share * magnitude.array()).select(values, 0.0);
}

/// Unknowns that some sensor row gives by itself.
std::vector<bool> stated_unknowns(const System& system) {
  const Pattern& pattern = system.pattern();
  const UnitEntries unit = unit_entries(system);
  std::vector<bool> stated(pattern.columns, false);
  for (int r = 0; r < pattern.rows; ++r) {
    const int entry = pattern.row_start[r];
    if (is_added(system.equations()[r].kind) && pattern.row_start[r + 1] == entry + 1 && unit[entry] != 0)
      stated[pattern.column[entry]] = true;
  }
  return stated;
}

}  // namespace

std::vector<SolvingStep> solving_order(const System& system, const std::vector<char>& known) {
  const Pattern& pattern = system.pattern();
  std::vector<char> solved = known;
  std::vector<std::vector<int>> rows_with(solved.size());
  std::vector<int> left(static_cast<std::size_t>(pattern.rows), 0), ready;
  std::vector<SolvingStep> steps;
  for (int r = 0; r < pattern.rows; ++r) {
    if (is_added(system.equations()[r].kind)) continue;
    for (int k = pattern.row_start[r]; k < pattern.row_start[r + 1]; ++k)
      if (!solved[pattern.column[k]]) ++left[r], rows_with[pattern.column[k]].push_back(r);
    if (left[r] == 1) ready.push_back(r);
  }
  while (!ready.empty()) {
    const int r = ready.back();
    ready.pop_back();
    if (left[r] != 1) continue;
    int unknown = -1;
    for (int k = pattern.row_start[r]; k < pattern.row_start[r + 1]; ++k)
      if (!solved[pattern.column[k]]) unknown = pattern.column[k];
    solved[unknown] = 1;
    steps.push_back({r, unknown});
    for (int other : rows_with[unknown])
      if (--left[other] == 1) ready.push_back(other);
  }
  if (std::count(solved.begin(), solved.end(), 0) > 0)
    throw std::logic_error("the Newton-Euler rows do not determine accelerations, wrenches and torques");
  return steps;
}

ReducedRows::ReducedRows(const System& system, StatedUnknowns stated)
    : pattern_(system.pattern()), place_(system.unknowns().size(), -1) {
  list_free_unknowns(system, stated == StatedUnknowns::left_out ? stated_unknowns(system)
                                                                : std::vector<bool>(system.unknowns().size(), false));
  find_steps(system);
}

void ReducedRows::list_free_unknowns(const System& system, const std::vector<bool>& stated) {
  for (const Variable& unknown : system.unknowns()) is_free_.push_back(is_free(system, unknown));
  for (std::size_t x = 0; x < is_free_.size(); ++x)
    if (is_free_[x] && !stated[x]) {
      place_[x] = static_cast<int>(free_.size());
      free_.push_back(static_cast<int>(x));
    }
  for (int r = 0; r < pattern_.rows; ++r) {
    const int entry = pattern_.row_start[r];
    const bool states = pattern_.row_start[r + 1] == entry + 1 && left_out(pattern_.column[entry]);
    if (is_added(system.equations()[r].kind) && !states) sensor_rows_.push_back(r);
  }
}

void ReducedRows::find_steps(const System& system) {
  steps_ = solving_order(system, std::vector<char>(is_free_.begin(), is_free_.end()));
  for (std::size_t k = 0; k < steps_.size(); ++k) place_[steps_[k].unknown] = static_cast<int>(k);
}

void ReducedRows::reduce(const double* values) {
  const auto n = static_cast<Eigen::Index>(free_.size());
  X_.setZero(static_cast<Eigen::Index>(steps_.size()), n);
  R_.setZero(static_cast<Eigen::Index>(sensor_rows_.size()), n);
  if (n == 0) return;
  Eigen::RowVectorXd sum(n), magnitude(n);
  const auto add_up = [&](int r, int skipped) {
    sum.setZero(), magnitude.setZero();
    for (int k = pattern_.row_start[r]; k < pattern_.row_start[r + 1]; ++k) {
      const int x = pattern_.column[k];
      if (x == skipped || left_out(x)) continue;
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
    add_up(r, unknown);
    X_.row(static_cast<Eigen::Index>(i)) = sum / -pivot;
  }
  for (std::size_t i = 0; i < sensor_rows_.size(); ++i) {
    add_up(sensor_rows_[i], -1);
    R_.row(static_cast<Eigen::Index>(i)) = sum;
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
  clear_rounding(solved, X_.cwiseAbs() * Z.cwiseAbs(), leakage);
  Eigen::MatrixXd all(static_cast<Eigen::Index>(place_.size()), Z.cols());
  for (std::size_t x = 0; x < place_.size(); ++x) {
    const auto row = static_cast<Eigen::Index>(x);
    if (left_out(static_cast<int>(x)))
      all.row(row).setZero();
    else if (is_free_[x])
      all.row(row) = Z.row(place_[x]);
    else
      all.row(row) = solved.row(place_[x]);
  }
  return all;
}

}  // namespace sparsedyn
