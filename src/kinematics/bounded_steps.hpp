// Steps of least squares within bounds, the linear problems of inverse kinematics. Dense: few rows.
#pragma once

#include <vector>

#include "model/joint_range.hpp"

namespace sparsedyn {

class BoundedSteps {
 public:
  BoundedSteps(int rows, int columns);

  /// Before the others: the least and the greatest that each entry of a step may be.
  void set_room(const JointRange& range, const double* q) noexcept;

  /// δ = argmin |e + J δ|² + μ |δ|² within the room: entries that would leave it stop at its edge, and the others are chosen
  /// again. J: rows × columns, row by row. False where μ is too small for the digits of J.
  bool damped(const double* J, const double* e, double damping, double* step) noexcept;
  /// δ = argmin |d + δ|² with J δ = −e, likewise.
  bool nearest(const double* J, const double* e, const double* d, double* step) noexcept;
  /// δ = argmin gᵀδ + ½ δᵀ(H + μ) δ likewise, entries that g drives against an edge left there (Bertsekas 1982). H: columns ×
  /// columns, the lower triangle. False where H + μ is not positive definite.
  bool newton(const double* H, const double* g, double damping, double* step) noexcept;

 private:
  void begin(const double* J, const double* e) noexcept;
  bool within_room(double* step) noexcept;
  int held_back(const double* J, const double* d, const double* step) const noexcept;
  void absorb(const double* step) noexcept;
  bool by_rows(double damping) noexcept;
  bool by_columns(double damping) noexcept;
  double along(std::size_t column) const noexcept;

  std::size_t rows_, columns_;
  std::vector<double> least_, greatest_;  // by column
  std::vector<char> fixed_;               // by column: stops at an edge
  std::vector<char> released_;            // by column: was fixed once
  std::vector<double> rest_;              // by row: e + J δ of those that do
  std::vector<double> free_;              // J by columns, zero where they are fixed
  std::vector<double> y_, square_;        // right-hand side and answer; factors
};

}  // namespace sparsedyn
