// link_pose over time: the place and orientation of a frame on a link.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn::tracking {

struct TrackedPose {
  int link;
  Pose<double> frame;  // in the link
  int inputs[7];       // x y z qx qy qz qw, -1: not read
  double sigma[7];     // m, then rad about the world's axes (three of the last four)
  bool turns;          // all four of the quaternion are read
};

/// sensor: the name of m's. add_input: gives the input of a column. note: told what is left out.
inline TrackedPose tracked_pose(const std::string& sensor, const Measurement& m,
                                const std::function<int(const std::string& column)>& add_input,
                                const std::function<void(const std::string& text)>& note) {
  TrackedPose pose{m.link, m.frame, {-1, -1, -1, -1, -1, -1, -1}, {0, 0, 0, 0, 0, 0, 0}, false};
  for (std::size_t k = 0; k < m.components.size(); ++k) {
    pose.inputs[m.components[k]] = add_input(m.columns[k]);
    pose.sigma[m.components[k]] = m.sigma[k];
  }
  const auto is_read = [](int input) { return input >= 0; };
  pose.turns = std::all_of(pose.inputs + 3, pose.inputs + 7, is_read);
  if (!pose.turns && std::any_of(pose.inputs + 3, pose.inputs + 7, is_read))
    note("sensor " + sensor + ": link_pose reads an orientation by all of qx qy qz qw, or not at all");
  return pose;
}

/// Of a floating base's place and yaw, what none of them reads.
inline std::vector<std::string> unplaced(const std::vector<TrackedPose>& poses) {
  std::vector<std::string> names;
  for (int k = 0; k < 3; ++k)
    if (std::none_of(poses.begin(), poses.end(), [k](const TrackedPose& p) { return p.inputs[k] >= 0; }))
      names.push_back(std::string("base.") + "xyz"[k]);
  if (std::none_of(poses.begin(), poses.end(), [](const TrackedPose& p) { return p.turns; })) names.push_back("base.yaw");
  return names;
}

}  // namespace sparsedyn::tracking
