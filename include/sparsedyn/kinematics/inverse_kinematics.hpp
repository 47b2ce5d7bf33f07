// Inverse kinematics: positions of the joints, within their limits, at which links have given poses.
//
//   minimise |e(q)|²,  lower ≤ q ≤ upper,    e = (rotation vector of R R*ᵀ, (p − p*) / u) of each target, in the world's axes,
//   each part times its weight
//
// with u = 1 m, or ten times the reach of a robot that reaches less than 0.1 m,
// by Levenberg's and Marquardt's method on the tangent space, with damping proportional to |e|² (Sugihara 2011: quadratic
// convergence where the pose is reached, and steps that are short enough where it cannot be). It starts at the given posture
// and then at random postures within the limits. A robot with redundant freedoms reaches the poses in infinitely many postures;
// sequential quadratic programming finds the one nearest to the given posture, in the neighbourhood of the first one found.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// What a target's errors count in the residual, √(Σ (position |Δp|)² + (orientation · angle)²); 0: that part is free.
struct PoseWeights {
  double position = 1, orientation = 1;
};

/// Limits of the search. The constructor checks all of them.
struct InverseKinematicsOptions {
  double tolerance = 1e-8;                // of |e|; > 0
  int restarts = 100;                     // random postures that are tried after the first start; ≥ 0
  int iterations = 100;                   // steps from each start, at most; ≥ 1
  bool nearest = true;                    // find the nearest posture to the given one
  unsigned seed = 1;                      // of the random postures, which are the same in each call
  std::vector<PoseWeights> weights = {};  // by target, ≥ 0, not both 0; empty: all 1
};

/// The result of a call.
struct InverseKinematicsStatus {
  bool finite = true;                            // the inputs are finite; otherwise q is unchanged
  bool reached = false;                          // |e| ≤ tolerance; otherwise q is the best posture found, a local minimum
  double residual = 0;                           // √(Σ over targets of |Δp|² + angle²), m and rad, weighted
  int iterations = 0;                            // steps, from all starts together
  int restarts = 0;                              // random postures that were tried
  bool ok() const { return finite && reached; }  // the poses are reached
};

/// One object a thread. All memory is taken by the constructor.
class InverseKinematics {
 public:
  /// The model must outlive it. Throws std::invalid_argument with the link's name if there is no link, or a link does not
  /// exist, cannot move, or is listed twice; for options out of range; and with the joint's name if no position is within the
  /// limits of a leader and all its followers.
  InverseKinematics(const Model& model, const std::vector<std::string>& links, const InverseKinematicsOptions& options = {});
  ~InverseKinematics();
  /// A moved-from object must not be used.
  /// @{
  InverseKinematics(InverseKinematics&&) noexcept;
  InverseKinematics& operator=(InverseKinematics&&) noexcept;
  /// @}

  /// targets: a pose in the world for each link, rotations orthonormal. near: nq, the first start (brought within the limits),
  /// unit quaternions; nullptr: start in the middle of the limits, and accept any posture. q: nq, written; may be `near`. No
  /// heap.
  InverseKinematicsStatus solve(const Pose<double>* targets, const double* near, double* q) noexcept;

  /// At a posture within the limits or not: √(Σ |Δp|² + angle²), weighted, to these targets, and the largest entry of the
  /// gradient of ½|e|² on the tangent space, without entries that the limits block: zero if no small step reduces |e|.
  /// @{
  double residual(const Pose<double>* targets, const double* q) noexcept;
  double slope(const Pose<double>* targets, const double* q) noexcept;
  /// @}

  /// Limits by entry of v, including those of followers; infinite without a limit.
  /// @{
  const std::vector<double>& lower() const noexcept;
  const std::vector<double>& upper() const noexcept;
  /// @}

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sparsedyn
