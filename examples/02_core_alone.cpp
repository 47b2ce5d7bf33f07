// A robot built in C++ with `core` alone (Eigen is its only dependency): a double pendulum, its names and its masses.
#include <cstdio>

#include "sparsedyn/model/model.hpp"

int main() {
  using namespace sparsedyn;
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  hinge.axis = {{0, 1, 0}};
  const Pose<double> at_tip{identity3<double>(), {{0, 0, -0.5}}};
  const Inertia<double> rod = inertia_about_com(1.0, {{0, 0, -0.25}}, {0.021, 0, 0, 0.021, 0, 0.001});

  const Model model = ModelBuilder("double pendulum")
                          .root("ceiling", zero_inertia<double>(), false)
                          .link("upper", rod, "ceiling", "shoulder", hinge, identity_pose<double>())
                          .link("lower", rod, "upper", "elbow", hinge, at_tip)
                          .build();
  for (const std::string& name : velocity_names(model)) std::printf("dq.%s\n", name.c_str());
}
