// What closed loops of a floating robot tell of its turn θ in the world.
//
// A left action exp(θ) on base and footholds turns the whole robot. It leaves all that is expressed in the axes of bodies as it
// was, but for gravity, and turns all that is expressed in the world's axes: the force λ of a loop too. With additive errors of
// λ a row of a body reads θ beside λ̂, by θ · ∂(R(θ)ᵀ λ̂), and its noise in the way of rounding and of a linearisation that moves
// makes that a reading of yaw. So within an interval λ turns with the robot:
//   λ = exp(θ) (λ̂ + δλ'),   δλ = δλ' + θ × λ̂,   h·e = h_θ · θ + h_λ · δλ = (h_θ + λ̂ × h_λ) · θ + h_λ · δλ'
// That is a change of variables, exact to first order for every row: rows of bodies lose what λ had them read of θ, rows
// along the world's axes read what they read. The prior of λ is the same in all axes, mean zero, so it is that of λ̂ + δλ'
// whatever θ. Where a loop's rows and λ stand in the axes of a body, λ turns with that body as it is.
//
// A loop's own rows say g(q, v, ddq) = 0 of two links of the robot in the world's axes, g = R(θ) ρ with ρ of the bodies alone.
// That is ρ = 0: the derivative along θ, θ × ĝ, changes the axes of an error that is to vanish. Such rows are exact; taken at
// its word that derivative reads yaw with the share |ĝ| of a deviation of zero. It is left out of a point tied to the world,
// whose acceleration turns likewise about its anchor. A weld to the world does read the yaw.
//
// Of a loop within the robot the base's whole motion is left out: what ρ has of it is ω̇ × φ and ω × (ω × φ), of a gap φ that a
// true loop does not have. The axis along which the links of a plane linkage do not move has nothing else, and an exact row
// would pin ω̇ by it; so such rows have a deviation, that of 1 mm which turns with 1 rad/s. Rows of loops with the world have
// it too: exact rows of a weld would leave the base no variance but that of rounding.
#pragma once

#include <array>
#include <vector>

#include "tracking/whole/gaussian.hpp"
#include "tracking/whole/whole_layout.hpp"

namespace sparsedyn::tracking {

class LoopTurns {
 public:
  /// Both must outlive it. Nothing is to be done on a fixed base.
  LoopTurns(const WholeLayout& layout, const IntervalRows& rows);
  /// h, row i of the interval in additive errors of λ about the unknowns z, becomes the row in δλ'. No heap.
  void put_turn(int i, const double* z, double* h) const noexcept;
  /// Whether row i says that a loop of two links, or of a link and the world, does not open: no reading.
  bool is_loop(int i) const noexcept { return own_[static_cast<std::size_t>(i)].is_loop; }
  /// What row i has of the base's accelerations z: of a loop within the robot, whose h has no entries of the base; else 0. No
  /// heap.
  double left_out(int i, const double* z) const noexcept;
  /// Errors δλ' about z become δλ, after the interval's rows. No heap.
  void make_additive(const double* z, Gaussian& e) const noexcept;

 private:
  /// Of one row of the interval. first: of the three rows of a connect to the world, else -1.
  struct OwnRow {
    bool is_loop = false, within_robot = false;
    int first = -1;
  };
  void find_rows(const Closure& c);

  const WholeLayout& layout_;
  const IntervalRows& rows_;
  std::vector<std::array<int, 3>> forces_;  // of z: forces and moments of pairs along the world's axes
  std::vector<OwnRow> own_;                 // by row of the interval
};

}  // namespace sparsedyn::tracking
