// Forces of closed loops are unknowns in the world's axes. A turn of the whole world about the vertical, which no reading sees,
// turns them as well, and the errors of their accelerations; rows that are linear in the errors must not tell of it.
//
// A loop's row reads R(θ) times what is the same in any such world. Beside an error that is not yet zero its derivative along θ
// is θ × error: no more than a change of its axes, but beside noise of 1e-6 it looked like a reading of the yaw. So within an
// interval the rows are those in the turned world, without the turn u θ about the vertical u, and errors of forces are those
// of exp(u θ) (λ̂ + δλ); the prior of λ is the same in any axes. After the interval they are additive ones again,
// δλ + θ u × λ̂. Without gravity all turns are such.
#pragma once

#include <array>
#include <vector>

#include "tracking/whole/gaussian.hpp"
#include "tracking/whole/whole_layout.hpp"

namespace sparsedyn::tracking {

class TurningForces {
 public:
  /// Nothing is to be done on a fixed base, without loops, and where a loop is tied to the world.
  explicit TurningForces(const WholeLayout& layout);
  /// The row loses what it reads of the unseen turn. No heap.
  void leave_out_turn(double* h) const noexcept;
  /// The errors of forces become additive ones, about these numbers z of the interval. No heap.
  void make_additive(const double* z, Gaussian& e) const noexcept;

 private:
  const WholeLayout& layout_;
  bool turn_ = false;
  Matrix3 unseen_;                          // u uᵀ; without gravity 1
  std::vector<std::array<int, 3>> forces_;  // numbers of the interval's unknowns
};

}  // namespace sparsedyn::tracking
