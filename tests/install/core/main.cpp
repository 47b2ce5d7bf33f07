// A user's program that needs nothing but the installed core: one pendulum, built in C++.
#include <cmath>

#include "sparsedyn/model/detail/joint.hpp"

int main() {
  using namespace sparsedyn;
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  hinge.axis = {{0, 1, 0}};
  const Inertia<double> bob = inertia_about_com(2.0, {{0, 0, -0.5}}, {0, 0, 0, 0, 0, 0});
  const Model model = ModelBuilder("pendulum")
                          .root("world_link", zero_inertia<double>(), false)
                          .link("bob", bob, "world_link", "hinge", hinge, identity_pose<double>())
                          .build();
  const double q[1] = {0.0};
  const Pose<double> pose = joint_pose(model.bodies[0], q);
  return model.nv == 1 && std::abs(pose.d[2]) < 1e-15 ? 0 : 1;
}
