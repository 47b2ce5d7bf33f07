// A smooth motion of a robot, with the torques that it needs and the readings of sensors along it: the rows of a log that is
// consistent to rounding.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Constants of a sensor set that contradict each other or the motion.
class ContradictoryConstants : public std::runtime_error {
 public:
  explicit ContradictoryConstants(double by);
  double by;  ///< the largest deviation from one of them, in its unit
};

/// Coordinates are sums of sines between 0.1 and 0.6 Hz: angles within ±0.9 rad, positions within ±0.15 m, orientations by
/// roll, pitch and yaw. The same seed gives the same motion and the same noise on every machine.
class SmoothMotion {
 public:
  /// sensors: a system of the model, or null for torques by RNEA without external wrenches. Both must outlive this.
  SmoothMotion(const Model& model, const System* sensors, std::uint64_t seed);
  ~SmoothMotion();

  /// time (s), q, dq, ddq, tau; with sensors also fx.LINK.* of links whose wrench is unknown, then readings.
  const std::vector<std::string>& columns() const noexcept { return columns_; }
  /// The row at time t (s): a number for each column. Accelerations and wrenches are the nearest to a smooth motion under which
  /// the set's constants hold; readings have their sigma's noise, drawn anew at each call, and are NaN where there is none (the
  /// centre of pressure of what does not press). Cost: an RNEA; with sensors a dense factorisation.
  void row(double t, double* numbers);
  /// Throws ContradictoryConstants where a row missed a constant of the sensor set by more than 1e-6.
  void require_constants() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::vector<std::string> columns_;
  double violation_ = 0, beside_ = 0;  // the largest so far, and beside what is of order one for this robot
};

}  // namespace sparsedyn
