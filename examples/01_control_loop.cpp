// Computed-torque control of an arm: its torques from the planned sparse solve, every millisecond, without heap or search.
#include <cstdio>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/json/sensor_set.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

int main() {
  const Model arm = load_urdf("robots/arm.urdf");
  Solver inverse_dynamics = make_solver(arm, load_sensor_set("inverse-dynamics"), {{"tau"}});
  Workspace<double> real_arm(arm);  // a simulation stands in for it

  std::vector<double> q(arm.nq, 0.3), dq(arm.nv, 0.0), ddq(arm.nv), tau(arm.nv);
  std::vector<double> y(inverse_dynamics.system().inputs().size());  // the accelerations, then the external wrenches (none)
  const double dt = 0.001;
  for (int step = 0; step < 2000; ++step) {
    for (int i = 0; i < arm.nv; ++i) y[i] = -100 * q[i] - 20 * dq[i];  // towards q = 0, critically damped
    if (!inverse_dynamics.solve(q.data(), dq.data(), y.data(), tau.data()).ok()) return 1;
    aba<double>(arm, real_arm, q.data(), dq.data(), tau.data(), nullptr, ddq.data());
    for (int i = 0; i < arm.nv; ++i) dq[i] += dt * ddq[i], q[i] += dt * dq[i];
  }

  double error = 0;
  for (const double angle : q) error = std::max(error, std::abs(angle));
  std::printf("largest error after 2 s: %.1e rad\n", error);
  return error < 1e-6 ? 0 : 1;
}
