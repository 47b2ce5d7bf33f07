// The Newton–Euler rows solved for accelerations, joint wrenches and torques: everything in terms of z = (ddq, fx).
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// A row of the laws of motion, and the unknown that it gives where all others in it are known.
struct SolvingStep {
  int row, unknown;
};

/// The order of solving the laws of motion: again and again a row with one unknown left. known: a flag for each unknown that is
/// given. Throws std::logic_error where that does not reach all.
std::vector<SolvingStep> solving_order(const System& system, const std::vector<char>& known);

/// A sensor row with a single entry, ±1 at every state, states a free unknown. Such rows and unknowns can be left out together:
/// the other rows see the same of the other unknowns, and the cost falls to (all unknowns) × (those that are not stated).
enum class StatedUnknowns { kept, left_out };

/// The rows (a), (f) and (τ) restricted to acc, f and tau are a permuted triangular matrix with ±1 on the diagonal, so these
/// unknowns are x = X z (+ what does not depend on z), and the sensor rows become R z. Entries of R that are rounding beside
/// the terms they were summed from are zero.
class ReducedRows {
 public:
  explicit ReducedRows(const System& system, StatedUnknowns stated = StatedUnknowns::kept);

  /// At the state of these matrix values (in pattern order).
  void reduce(const double* values);

  /// Unknowns z, and the equations of the sensors.
  const std::vector<int>& free_unknowns() const { return free_; }
  const std::vector<int>& sensor_rows() const { return sensor_rows_; }
  const Eigen::MatrixXd& rows() const { return R_; }  // sensor rows × free unknowns

  /// All unknowns x (one number each) for free unknowns z and a right-hand side (one number an equation). None may be left out.
  void solve(const double* values, const double* right_side, const std::vector<double>& z, double* x) const;

  /// All unknowns (rows) for directions Z of the free unknowns; what is rounding is zero, and what was left out.
  Eigen::MatrixXd expand(const Eigen::MatrixXd& Z) const;

 private:
  void list_free_unknowns(const System& system, const std::vector<bool>& stated);
  void find_steps(const System& system);
  bool left_out(int unknown) const { return is_free_[unknown] && place_[unknown] < 0; }

  const Pattern& pattern_;
  std::vector<int> free_, sensor_rows_;
  std::vector<int> place_;  // of each unknown: in free_, or in the order of solving; -1: left out
  std::vector<bool> is_free_;
  std::vector<SolvingStep> steps_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> X_;  // steps × free unknowns
  Eigen::MatrixXd R_;                                                         // sensor rows × free unknowns
};

}  // namespace sparsedyn
