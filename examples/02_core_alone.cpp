// `core` alone, whose only dependency is Eigen: a double pendulum and its sensors written in C++, its forward dynamics by the
// sparse solve and by the articulated-body algorithm.
#include <cstdio>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/runtime/make_solver.hpp"

using namespace sparsedyn;

namespace {

Model double_pendulum() {
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  hinge.axis = {{0, 1, 0}};
  const Pose<double> at_tip{identity3<double>(), {{0, 0, -0.5}}};
  const Inertia<double> rod = inertia_about_com(1.0, {{0, 0, -0.25}}, {0.021, 0, 0, 0.021, 0, 0.001});
  return ModelBuilder("double pendulum")
      .root("ceiling", zero_inertia<double>(), false)
      .link("upper", rod, "ceiling", "shoulder", hinge, identity_pose<double>())
      .link("lower", rod, "upper", "elbow", hinge, at_tip)
      .build();
}

/// Torques are measured, and nothing touches the links.
SensorSet torques_known() {
  Sensor motors, air;
  motors.name = "motors", motors.type = "joint_torque", motors.all = true;
  air.name = "air", air.type = "external_wrench", air.all = true, air.value = {0.0};
  SensorSet set;
  set.sensors = {motors, air};
  return set;
}

}  // namespace

int main() {
  const Model model = double_pendulum();
  Solver solver = make_solver(model, torques_known(), {{"ddq", "f.elbow"}});

  const double q[] = {0.4, -0.9}, dq[] = {1.0, 2.0}, tau[] = {0.0, 0.3};
  double out[8], ddq[2];
  const SolverStatus status = solver.solve(q, dq, tau, out);
  for (std::size_t k = 0; k < solver.output_columns().size(); ++k)
    std::printf("%-12s %9.5f\n", solver.output_columns()[k].c_str(), out[k]);

  Workspace<double> workspace(model);
  aba<double>(model, workspace, q, dq, tau, nullptr, ddq);
  std::printf("ABA          %9.5f %9.5f\n", ddq[0], ddq[1]);
  return status.ok() && std::abs(out[0] - ddq[0]) < 1e-12 && std::abs(out[1] - ddq[1]) < 1e-12 ? 0 : 1;
}
