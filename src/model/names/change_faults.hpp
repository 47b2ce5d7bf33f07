// What is wrong with a joint to be held (--lock) or a link to be cut off (--cut), in words: the same for robots from URDF and
// from robot files.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "io/suggestions.hpp"

namespace sparsedyn {

/// The robot has no `kind` (joint, link) of that name.
inline std::string unknown_name(const std::string& option, const std::string& kind, const std::string& name,
                                const std::vector<std::string>& names) {
  return option + " " + name + ": the robot has no " + kind + " of that name" + suggestions_text(name, names) +
         (names.empty() ? "" : "; expected one of " + listing(names));
}

/// A joint to be held. freedoms: 0 where it is fixed; leader: of a joint that follows another, else empty.
struct JointToHold {
  int freedoms;
  std::string leader;
};

/// Why the joint cannot be held at this value; empty: it can.
inline std::string lock_fault(const std::string& name, const JointToHold& joint, double value) {
  const std::string place = "--lock " + name + ": ";
  if (joint.freedoms > 1) return place + "it has several freedoms; expected a joint with one";
  if (!joint.leader.empty()) return place + "it follows " + joint.leader + "; expected a leader";
  if (!std::isfinite(value)) return place + "its value is not finite";
  if (joint.freedoms == 0 && value != 0) return place + "the joint is fixed, at 0";
  return "";
}

inline std::string locked_twice(const std::string& name) { return "--lock " + name + ": given twice"; }

/// A link that cannot be cut off.
inline std::string root_cut(const std::string& link) { return "--cut " + link + ": it is the root; expected a link below it"; }

/// A joint that stays though the one that it follows is cut off.
inline std::string leader_cut(const std::string& leader, const std::string& follower) {
  return "--cut: joint " + leader + " is cut off, but " + follower + ", which follows it, stays; expected both or neither";
}

}  // namespace sparsedyn
