// --lock and --cut on a robot.
#pragma once

#include <map>
#include <vector>

#include "robot_elements.hpp"

namespace sparsedyn::urdf {

/// Which joints are held and which links are left out. Throws UnknownName for names that the robot lacks, joints that cannot be
/// held, and the root.
struct Changes {
  Changes(const RobotElements& robot, const LoadOptions& options);
  std::map<int, double> lock;  // joint, value; of joints with several freedoms all at 0
  std::vector<int> massless;   // joints in `lock` that move neither mass nor inertia and were not named
  std::vector<bool> cut;       // by link; its joint is cut with it, and so is all that is below it
  const double* locked_at(int joint) const {
    const auto at = lock.find(joint);
    return at == lock.end() ? nullptr : &at->second;
  }

 private:
  void lock_massless(const RobotElements& robot);
};

}  // namespace sparsedyn::urdf
