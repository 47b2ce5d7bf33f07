// Computed-torque control of an arm: its torques from the planned sparse solve, every millisecond, without heap or search.
#include <cstdio>

#include "sparsedyn/json/files.hpp"
#include "sparsedyn/sparsedyn.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

/// Stands in for the robot: two seconds of it, a millisecond a step.
class SimulatedArm {
 public:
  explicit SimulatedArm(const Model& model) : model_(model), work_(model), ddq_(model.nv) {}

  /// Applies the torques for one step. q, dq: the state before it, then after it. False once the time is over.
  bool step(const double* tau, double* q, double* dq) {
    const double dt = 0.001;
    aba<double>(model_, work_, q, dq, tau, nullptr, ddq_.data());
    for (int i = 0; i < model_.nv; ++i) dq[i] += dt * ddq_[i], q[i] += dt * dq[i];
    return ++steps_ <= 2000;
  }

 private:
  const Model& model_;
  Workspace<double> work_;
  std::vector<double> ddq_;
  int steps_ = 0;
};

}  // namespace

int main() {
  const Model arm = load_urdf("robots/arm.urdf");
  Solver solver = make_solver(arm, load_sensor_set("inverse-dynamics"), {{"tau"}});
  std::vector<double> q(arm.nq, 0.3), dq(arm.nv), tau(arm.nv), y(solver.system().inputs().size());  // y: ddq, then no wrenches
  SimulatedArm robot(arm);
  while (robot.step(tau.data(), q.data(), dq.data())) {
    for (int i = 0; i < arm.nv; ++i) y[i] = -100 * q[i] - 20 * dq[i];  // towards q = 0, critically damped
    if (!solver.solve(q.data(), dq.data(), y.data(), tau.data()).ok()) return 1;
  }

  double error = 0;
  for (const double angle : q) error = std::max(error, std::abs(angle));
  std::printf("largest error after 2 s: %.1e rad\n", error);
  return error < 1e-6 ? 0 : 1;
}
