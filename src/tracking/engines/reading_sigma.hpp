// The noise of one reading, changed while an estimate over time goes on: rows are weighed anew at each sample.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tracking/layout.hpp"
#include "tracking/whole/whole_layout.hpp"

namespace sparsedyn::tracking {

/// Of an orientation x, y, z of the quaternion stand for turns about these axes; its w has no noise of its own.
inline bool set_sigma(std::vector<TrackedPose>& poses, int input, double sigma) noexcept {
  for (TrackedPose& pose : poses)
    for (int k = 0; k < 6; ++k)
      if (pose.inputs[k] == input && (k < 3 || pose.turns)) {
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

/// Of the coordinates of a joint of several freedoms, likewise.
inline bool set_sigma(const std::vector<GroupJoint>& groups, std::vector<GroupReading>& readings, int input,
                      double sigma) noexcept {
  for (GroupReading& reading : readings) {
    const GroupJoint& group = groups[static_cast<std::size_t>(reading.group)];
    bool found = false;
    for (int row = 0; row < group.freedoms; ++row)
      if (reading.inputs[static_cast<std::size_t>(group.coordinate_beside(row))] == input)
        reading.sigma[static_cast<std::size_t>(row)] = sigma, found = true;
    if (found) return true;
  }
  return false;
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
  if (set_sigma(layout.groups, layout.group_readings, input, std::max(sigma, least_reading_sigma))) return true;
  return set_sigma(layout.poses, input, sigma);
}

/// The noises of one layout become those of another of the same set.
inline void take_sigmas(const std::vector<TrackedPose>& from, std::vector<TrackedPose>& to) noexcept {
  for (std::size_t k = 0; k < to.size(); ++k) std::copy_n(from[k].sigma, 7, to[k].sigma);
}

inline void take_sigmas(const Layout& from, Layout& to) noexcept {
  to.gyroscope.sigma = from.gyroscope.sigma, to.accelerometer.sigma = from.accelerometer.sigma;
  for (std::size_t k = 0; k < to.joints.size(); ++k)
    to.joints[k].positions = from.joints[k].positions, to.joints[k].velocities = from.joints[k].velocities;
  take_sigmas(from.poses, to.poses);
}

inline void take_sigmas(const WholeLayout& from, WholeLayout& to) noexcept {
  to.knots = from.knots, to.group_readings = from.group_readings;
  for (std::size_t k = 0; k < to.intervals.size(); ++k) to.intervals[k].variance = from.intervals[k].variance;
  take_sigmas(from.poses, to.poses);
}

}  // namespace sparsedyn::tracking
