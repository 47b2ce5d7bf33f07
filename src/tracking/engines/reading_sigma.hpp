// The noise of one reading, changed while an estimate over time goes on: rows are weighed anew at each sample.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tracking/layout.hpp"
#include "tracking/whole/whole_layout.hpp"

namespace sparsedyn::tracking {

inline bool set_sigma(std::vector<TrackedPose>& poses, int input, double sigma) noexcept {
  for (TrackedPose& pose : poses)
    for (int k = 0; k < 7; ++k)
      if (pose.inputs[k] == input) {
        pose.sigma[k] = sigma;
        return true;
      }
  return false;
}

/// Of kinematic rows. False where that input has no noise: a contact's flag.
inline bool set_sigma(Layout& layout, std::size_t of, double sigma) noexcept {
  const int input = static_cast<int>(of);
  for (Triad* triad : {&layout.gyroscope, &layout.accelerometer}) {
    const int k = input - triad->first_input;
    if (!triad->there() || k < 0 || k >= 3) continue;
    triad->sigma[k] = sigma;
    return true;
  }
  for (TrackedJoint& joint : layout.joints)
    for (std::vector<TrackedJoint::Source>* sources : {&joint.positions, &joint.velocities})
      for (TrackedJoint::Source& source : *sources)
        if (source.input == input) {
          source.sigma = sigma;
          return true;
        }
  return set_sigma(layout.poses, input, sigma);
}

/// Of rows of the whole body, with the least noise of a set's readings. False also where the set calls the reading exact: such
/// rows are taken before all others.
inline bool set_sigma(WholeLayout& layout, std::size_t of, double sigma) noexcept {
  const int input = static_cast<int>(of);
  for (KnotReading& reading : layout.knots)
    if (reading.input == input) {
      reading.sigma = std::max(sigma, least_reading_sigma);
      return true;
    }
  for (IntervalReading& reading : layout.intervals)
    if (reading.input == input && reading.contact < 0 && reading.variance > 0) {
      reading.variance = noise_variance(sigma);
      return true;
    }
  return set_sigma(layout.poses, input, sigma);
}

}  // namespace sparsedyn::tracking
