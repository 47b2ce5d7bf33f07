// Inverse kinematics: positions of the joints, within their limits, at which links have given poses.
//
//   minimise |e(q)|²,  lower ≤ q ≤ upper,    e = (rotation vector of R R*ᵀ, p − p*) of each target, in the world's axes
//
// by Levenberg's and Marquardt's method on the tangent space, with damping proportional to |e|² (Sugihara 2011: quadratic
// convergence where the pose is reached, and no step is too long where it cannot be). From several starts: first a given
// posture, then random ones within the limits. Of the postures that reach the poses, which a robot with spare freedoms has
// infinitely many of, the one nearest to the given posture in its neighbourhood is found by sequential quadratic programming.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Limits of the search. The constructor checks all of them.
struct InverseKinematicsOptions {
  double tolerance = 1e-8;  // of the residual, m and rad; > 0
  int restarts = 100;       // random postures that are tried after the first start; ≥ 0
  int iterations = 100;     // steps from each start, at most; ≥ 1
  bool nearest = true;      // look for the nearest posture to one that is given
  unsigned seed = 1;        // of the random postures, which are the same in each call
};

/// What became of a call.
struct InverseKinematicsStatus {
  bool finite = true;    // what was given is; otherwise q is left as it was
  bool reached = false;  // residual ≤ tolerance; otherwise q is the best that was found, a local minimum
  double residual = 0;   // √(Σ over targets of |Δp|² + angle²), m and rad
  int iterations = 0;    // steps, from all starts together
  int restarts = 0;      // random postures that were tried
  bool ok() const { return finite && reached; }  // the poses are reached
};

/// One object a thread. All memory is taken by the constructor.
class InverseKinematics {
 public:
  /// The model must outlive it. Throws std::invalid_argument, naming the link, for no link, for one that the model lacks, that
  /// cannot move, or that stands twice; for options out of range; and, naming the joint, where no position is within the limits
  /// of all joints that follow another.
  InverseKinematics(const Model& model, const std::vector<std::string>& links, const InverseKinematicsOptions& options = {});
  ~InverseKinematics();
  /// Takes over; the other is not to be used any more.
  /// @{
  InverseKinematics(InverseKinematics&&) noexcept;
  InverseKinematics& operator=(InverseKinematics&&) noexcept;
  /// @}

  /// targets: a pose in the world for each link, rotations orthonormal. near: nq, the first start (brought within the limits),
  /// unit quaternions; nullptr: the middle of the limits, and any posture will do. q: nq, written; may be `near`. No heap.
  InverseKinematicsStatus solve(const Pose<double>* targets, const double* near, double* q) noexcept;

  /// At a posture, within the limits or not: √(Σ |Δp|² + angle²) to these targets, and the largest entry of the gradient of
  /// half its square on the tangent space that the limits do not hold: zero where no small step makes the residual smaller.
  /// @{
  double residual(const Pose<double>* targets, const double* q) noexcept;
  double slope(const Pose<double>* targets, const double* q) noexcept;
  /// @}

  /// Limits by entry of v, those of joints that follow included; infinite where there are none.
  /// @{
  const std::vector<double>& lower() const noexcept;
  const std::vector<double>& upper() const noexcept;
  /// @}

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sparsedyn
