// Integrators beside each other, on every kind of joint.
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/joint_groups.hpp"
#include "sparsedyn/simulation/forward_simulation.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/rest_cases.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

/// q after half a second from a random state on, nothing driving the joints.
Vector posture_reached(const Model& model, Integrator integrator, double rate) {
  std::mt19937 rng(5);
  const State start = random_state(model, rng);
  ForwardSimulation simulation;
  simulation.q = start.q, simulation.v = start.v;
  simulation.rate = rate, simulation.rows = std::lround(rate / 2) + 1, simulation.integrator = integrator;
  Vector q(static_cast<std::size_t>(model.nq));
  ConstraintSet none;
  none.parameters.timestep = 1 / rate;
  const SimulationEnd end = simulate_forward(model, none, simulation,
                                             [&](const MotionRow& row) { std::copy_n(row.numbers + 1, q.size(), q.begin()); });
  REQUIRE(end.row == -1);
  return q;
}

double distance(const Model& model, const Vector& q0, const Vector& q1) {
  Vector delta(static_cast<std::size_t>(model.nv));
  difference(model, q0.data(), q1.data(), delta.data());
  double squares = 0;
  for (double x : delta) squares += x * x;
  return std::sqrt(squares);
}

}  // namespace

TEST_CASE("On every kind of joint semi-implicit steps come to where Runge and Kutta's come, in first order") {
  for (JointKind kind : every_joint_kind()) {
    INFO(kind_name(kind));
    const Model model = random_tree(2, 7, {false, false, 0.0, {kind}});
    const Vector truth = posture_reached(model, Integrator::runge_kutta, 8000);
    const double whole = distance(model, truth, posture_reached(model, Integrator::semi_implicit, 8000));
    const double half = distance(model, truth, posture_reached(model, Integrator::semi_implicit, 16000));
    CHECK(whole < 0.01);
    CHECK(half < 0.6 * whole);
    CHECK(half > 0.4 * whole);
  }
}

TEST_CASE("The centre of a body that nothing holds moves straight on while the body turns, at any step") {
  int kinds = 0;
  for (JointKind kind : every_joint_kind()) {
    Model model = random_tree(1, 7, {false, false, 0.0, {kind}});
    Body& body = model.bodies.back();
    if (!turns_own_shifts(body.joint)) continue;
    INFO(kind_name(kind));
    ++kinds;
    model.gravity = zero3<double>();
    body.inertia = {2.0, zero3<double>(), {0.3, 0, 0, 0.5, 0, 0.4}};  // about its centre, which is its origin
    std::mt19937 rng(6);
    const State start = random_state(model, rng);
    const double rate = 20;
    ForwardSimulation simulation;
    simulation.q = start.q, simulation.v = start.v, simulation.rate = rate, simulation.rows = 21;
    const Vec3<double> velocity = joint_pose(body, start.q.data()).R * joint_motion(body, start.v.data()).v;
    const Vec3<double> from = joint_pose(body, start.q.data()).d;
    double worst = 0, turned = 0;
    simulate_forward(model, ConstraintSet(), simulation, [&](const MotionRow& row) {
      const Pose<double> now = joint_pose(body, row.numbers + 1);
      const Vec3<double> off = now.d - from - row.numbers[0] * velocity;
      worst = std::max(worst, std::sqrt(dot(off, off)));
      turned = distance(model, start.q, Vector(row.numbers + 1, row.numbers + 1 + model.nq));
    });
    CHECK(worst < 1e-12);
    CHECK(turned > 0.1);
  }
  CHECK(kinds >= 2);  // planar, floating
}

TEST_CASE("a robot that its torques hold does not move, whatever makes the steps") {
  for (const std::string& path : shipped_robots())
    for (const Integrator integrator : {Integrator::semi_implicit, Integrator::implicit_velocity, Integrator::runge_kutta}) {
      const Model model = load_urdf(path);
      std::mt19937 rng(7);
      Workspace<double> work(model);
      for (const auto& [name, q] : rest_postures(model, rng)) {
        ForwardSimulation simulation;
        simulation.q = q, simulation.v.assign(static_cast<std::size_t>(model.nv), 0.0);
        simulation.kp = 50, simulation.kd = 5, simulation.rate = 200, simulation.rows = 40, simulation.integrator = integrator;
        Vector held(simulation.v);
        rnea(model, work, q.data(), held.data(), held.data(), no_wrenches, held.data());
        simulation.targets.time = {0}, simulation.targets.tau = held;
        simulation.targets.q = q, simulation.targets.v.assign(held.size(), 0.0);
        double moved = 0;
        const SimulationEnd end = simulate_forward(model, {}, simulation, [&](const MotionRow& row) {
          const double* at = row.numbers + 1;
          for (std::size_t k = 0; k < q.size(); ++k) moved = std::max(moved, std::abs(at[k] - q[k]));
          for (std::size_t k = 0; k < held.size(); ++k) moved = std::max(moved, std::abs(at[q.size() + k]));
        });
        INFO(model.name << " at " << name << ": " << end.why);
        CHECK(end.row == -1);
        CHECK(moved <= 1e-12);
      }
    }
}
