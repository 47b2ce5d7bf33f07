// A quadruped on its feet: accelerations, contact forces and gaps at one state, the derivatives that a controller wants, and
// the torques of a motion in contact. 14_contacts.py does the same.
#include <cmath>
#include <cstdio>

#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/sparsedyn.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

int main() {
  LoadOptions floating;
  floating.floating = true;
  const Model robot = load_urdf("robots/quadruped.urdf", floating);
  ConstrainedDynamics standing(robot, load_constraint_set("examples/constraints/quadruped.json", robot));
  const auto n = static_cast<std::size_t>(robot.nv), forces = standing.force_columns().size(),
             gaps = standing.gap_columns().size();

  // the home posture, feet 5 mm in the ground
  std::vector<double> q(static_cast<std::size_t>(robot.nq)), v(n), tau(n), a(n), lambda(forces), gap(gaps);
  neutral(robot, q.data());
  const auto evaluate = [&] {
    return standing.forward(q.data(), v.data(), tau.data(), nullptr, a.data(), lambda.data(), gap.data());
  };
  if (!evaluate().ok()) return 1;
  q[2] -= gap[0] + 0.005;
  for (std::size_t k = 6; k < n; ++k) tau[k] = 0.5 * std::sin(static_cast<double>(k));
  const ConstraintStatus status = evaluate();
  if (!status.ok()) {
    std::printf("%s\n", standing.describe(status).c_str());
    return 1;
  }
  std::printf("trunk accelerates by %.6f m/s2 along its z axis\n", a[5]);
  for (std::size_t k = 0; k < gaps; ++k)
    std::printf("%s: gap %.6f m, normal force %.6f N\n", standing.gap_columns()[k].c_str(), gap[k], lambda[3 * k + 2]);

  std::vector<double> by_q(n * n), by_v(n * n), by_tau(n * n);
  if (!standing
           .derivatives(q.data(), v.data(), tau.data(), nullptr,
                        {a.data(), lambda.data(), gap.data(), by_q.data(), by_v.data(), by_tau.data()})
           .ok())
    return 1;
  std::printf("by the torque of joint 1: %.6f rad/s2 for each N m\n", by_tau[6 * n + 6]);

  std::vector<double> needed(n);
  if (!standing.inverse(q.data(), v.data(), a.data(), nullptr, needed.data(), lambda.data(), gap.data()).ok()) return 1;
  double worst = 0;
  for (std::size_t k = 0; k < n; ++k) worst = std::max(worst, std::abs(needed[k] - tau[k]));
  std::printf("inverse dynamics gives the torques back: %s\n", worst < 1e-8 ? "yes" : "no");
  return worst < 1e-8 ? 0 : 1;
}
