// --lock and --cut on a robot, and what they do to joints that follow others.
#pragma once

#include <map>
#include <vector>

#include "mimic.hpp"

namespace sparsedyn::urdf {

/// Which joints are held and which links are left out. A follower is held where its leader is, and where its multiplier is 0.
/// Throws UnknownName for names that the robot lacks, joints that cannot be held, the root, followers that are to be held, and
/// leaders that are cut off while a follower stays.
struct Changes {
  /// mimics: by joint, or none where joints do not follow others.
  Changes(const RobotElements& robot, const LoadOptions& options, const std::vector<Mimic>& mimics);
  std::map<int, double> lock;  // joint, value; of joints with several freedoms all at 0
  std::vector<int> massless;   // joints in `lock` that move neither mass nor inertia and were not named
  std::vector<bool> cut;       // by link; its joint is cut with it, and so is all that is below it
  const double* locked_at(int joint) const {
    const auto at = lock.find(joint);
    return at == lock.end() ? nullptr : &at->second;
  }

 private:
  void lock_massless(const RobotElements& robot, const std::vector<Mimic>& mimics);
  void lock_followers(const std::vector<Mimic>& mimics);
};

}  // namespace sparsedyn::urdf
