// An arm that determines less where it is stretched or folded, and the same arm in exact numbers there.
#pragma once

#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"
#include "support/robots.hpp"

namespace sparsedyn::test {

inline Sensor sensor_on(const std::string& type, const std::vector<std::string>& on, double sigma,
                        std::vector<std::string> components = {}) {
  Sensor s;
  s.name = type + (on.empty() ? "" : on.front()) + (components.empty() ? "" : components.front()), s.type = type,
  s.all = on.empty();
  for (const std::string& name : on) s.targets.push_back({name, 0});
  if (sigma > 0) s.sigma = {sigma};
  s.components = std::move(components);
  return s;
}

/// About z, exactly.
inline Mat3<double> quarter_turns(int n) {
  const double cosine[] = {1, 0, -1, 0}, c = cosine[n & 3], s = cosine[(n + 3) & 3];
  Mat3<double> R = identity_pose<double>().R;
  R(0, 0) = R(1, 1) = c, R(1, 0) = s, R(0, 1) = -s;
  return R;
}

/// A planar arm of three links along x, beside a fourth link that no sensor sees. Motion and the torques of `torques` are
/// known, and the force at the tip is not, of which the stretched or folded arm feels only the part across. Joint k is mounted
/// turned by so many quarters, with a matrix of zeros and ones.
inline System arm_beside(const std::vector<std::string>& torques, double sigma, const std::map<std::string, double>& prior = {},
                         const std::array<int, 4>& quarters = {}) {
  std::mt19937 rng(4);
  ModelBuilder builder("arm");
  builder.root("root", random_inertia(rng), false);
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  hinge.axis = {{0, 0, 1}};
  const auto at = [&](double x, int k) {
    Pose<double> placement = identity_pose<double>();
    placement.d = {{x, 0, 0}};
    placement.R = quarter_turns(quarters[k]);
    return placement;
  };
  builder.link("l1", random_inertia(rng), "root", "j1", hinge, at(0, 0));
  builder.link("l2", random_inertia(rng), "l1", "j2", hinge, at(0.5, 1));
  builder.link("l3", random_inertia(rng), "l2", "j3", hinge, at(0.5, 2));
  builder.link("beside", random_inertia(rng), "root", "jb", hinge, at(0.5, 3));
  SensorSet set;
  set.name = "force at the tip";
  Sensor air = sensor_on("external_wrench", {"l1", "l2", "beside"}, 0);
  Sensor tip = sensor_on("external_wrench", {"l3"}, 0, {"nx", "ny", "nz", "fz"});
  tip.name = "tip";
  set.sensors = {sensor_on("joint_acceleration", {"j1", "j2", "j3"}, 0), sensor_on("joint_torque", torques, sigma), air, tip};
  set.prior = prior;
  return System(builder.build(), set);
}

}  // namespace sparsedyn::test
