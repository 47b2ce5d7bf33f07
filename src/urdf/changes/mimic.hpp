// <mimic>: which joints follow others.
#pragma once

#include <vector>

#include "urdf/robot_elements.hpp"

namespace sparsedyn::urdf {

/// q = multiplier · (the leader's) + offset.
struct Mimic {
  int leader = -1;  // joint of the file, or -1: it follows none
  double multiplier = 1, offset = 0;
};

/// By joint. Throws InputError for a leader that is no joint, the joint itself, fixed or of several freedoms, for a follower of
/// several freedoms and for circles; passes over what is said of fixed joints, with a warning.
std::vector<Mimic> read_mimics(const XmlFile& file, const RobotElements& robot, LoadReport& report);

/// All joints, each after the one that it follows; without those that follow each other in a circle.
std::vector<int> leaders_first(const std::vector<Mimic>& mimics);

}  // namespace sparsedyn::urdf
