// Joints that follow others in the system: no q̈ of their own, torques of their own, and what sensors on them read.
#include <catch2/catch.hpp>

#include "dense.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "support/coupled.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

CoupledRobot robot_of(unsigned seed, bool floating) {
  Model tree = random_tree(8, seed, {floating, true, 0.4});
  if (seed % 2) tree = with_joint_physics(tree, seed);
  return random_coupled_robot(tree, seed);
}

std::vector<double> torques_of(const Model& model, const State& s) {
  Workspace<double> ws(model);
  std::vector<double> tau(s.v.size());
  rnea<double>(model, ws, s.q.data(), s.v.data(), s.a.data(), nullptr, tau.data());
  return tau;
}

double apart(double x, double reference) { return std::abs(x - reference) / std::max(1.0, std::abs(reference)); }

}  // namespace

TEST_CASE("coupled joints: inverse and forward dynamics are rnea's in every formulation that holds them") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 6; ++seed) {
      const CoupledRobot r = robot_of(seed, floating);
      std::mt19937 rng(seed);
      const State s = random_state(r.model, rng);
      const std::vector<double> tau = torques_of(r.model, s);
      for (const Formulation& formulation : all_formulations()) {
        INFO(formulation_name(formulation) << " floating " << floating << " seed " << seed);
        const System inverse(r.model, inverse_dynamics_set(), formulation);
        const System forward(r.model, forward_dynamics_set(), formulation);
        const Eigen::VectorXd x = solved_for(inverse, s, s.a), z = solved_for(forward, s, tau);
        for (int k = 0; k < r.model.nv; ++k) {
          CHECK(apart(x[inverse.tau_column(k)], tau[k]) <= 1e-10);
          CHECK(apart(z[forward.ddq_column(k)], s.a[k]) <= 1e-8);
        }
      }
    }
}

TEST_CASE("coupled joints: accelerations, wrenches and followers' torques are those of the tree that moves alike") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 6; ++seed) {
      const CoupledRobot r = robot_of(seed, floating);
      std::mt19937 rng(seed);
      const State s = random_state(r.model, rng), t = r.state(s);
      const System own(r.model, inverse_dynamics_set()), all(r.tree, inverse_dynamics_set());
      const Eigen::VectorXd x = solved_for(own, s, s.a), y = solved_for(all, t, t.a);
      int followers = 0;
      for (std::size_t k = 0; k < own.unknowns().size(); ++k) {
        const Variable& unknown = own.unknowns()[k];
        const std::string& name = own.unknown_names()[k];
        const bool torque = unknown.kind == VariableKind::tau, follows = torque && r.model.joints[unknown.owner].follows();
        if ((torque && !follows) || unknown.kind == VariableKind::ddq) continue;
        INFO(name);
        followers += follows;
        CHECK(apart(x[static_cast<Eigen::Index>(k)], y[column_of(all, name)]) <= 1e-10);
      }
      CHECK(followers == r.tree.nv - r.model.nv);
    }
}

TEST_CASE("coupled joints: the articulated-body order is healthy, and the solver solves by it") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 6; ++seed) {
      INFO("floating " << floating << " seed " << seed);
      const CoupledRobot r = robot_of(seed, floating);
      std::mt19937 rng(seed);
      const State s = random_state(r.model, rng);
      const std::vector<double> tau = torques_of(r.model, s);
      REQUIRE(recursive_order(System(r.model, forward_dynamics_set())));
      REQUIRE(composite_order(System(r.model, forward_dynamics_set())));
      REQUIRE(nested_order(System(r.model, forward_dynamics_set())));
      Solver solver = make_solver(r.model, forward_dynamics_set(), {{"ddq"}});
      std::vector<double> y = inputs_of(solver.system(), tau), ddq(s.v.size());
      REQUIRE(solver.solve(s.q.data(), s.v.data(), y.data(), ddq.data()).ok());
      for (std::size_t k = 0; k < ddq.size(); ++k) CHECK(apart(ddq[k], s.a[k]) <= 1e-8);
    }
}

TEST_CASE("coupled joints: sensors on a follower read its own torque and its share of the leader's acceleration") {
  const Model tree = random_tree(5, 2);
  const auto name = [&](std::size_t j) { return tree.joints[j].name; };
  const CoupledRobot r = coupled_robot(tree, {{name(3), name(1), -2, 0.3}, {name(4), name(3), 0.5, 0}});
  std::mt19937 rng(1);
  const State s = random_state(r.model, rng);
  const System inverse(r.model, inverse_dynamics_set());
  const Eigen::VectorXd truth = solved_for(inverse, s, s.a);
  const auto true_torque = [&](std::size_t j) { return truth[column_of(inverse, "tau." + name(j))]; };

  // the follower's acceleration in place of its leader's
  SensorSet set = inverse_dynamics_set();
  set.sensors[0].except = {{name(1)}};
  set.sensors.push_back(sensor("joint_acceleration", {name(4)}, "slave"));
  const System mapped(r.model, set);
  std::vector<double> y;
  for (const Input& input : mapped.inputs()) {
    const Measurement& m = mapped.measurements()[input.measurement];
    const Joint& joint = mapped.model().joints[m.joint < 0 ? 0 : m.joint];
    y.push_back(m.joint < 0 ? 0.0 : joint.follows() ? -s.a[1] : s.a[joint.v]);  // 0.5 · −2
  }
  const Dense d = dense(mapped, s, y);
  const Eigen::VectorXd x = d.A.fullPivLu().solve(d.b);
  for (int k = 0; k < r.model.nv; ++k) CHECK(apart(x[mapped.ddq_column(k)], s.a[k]) <= 1e-9);

  // a sum of torques, and "*" without the followers
  set = inverse_dynamics_set();
  Sensor sum = sensor("torque_combination");
  sum.all = false;
  sum.coefficients = {{{name(1)}, 1.0}, {{name(3)}, 2.0}, {{name(4)}, -1.0}};
  set.sensors = {sum, sensor("joint_torque", {name(3)}), sensor("joint_acceleration")};
  const System reading(r.model, set);
  REQUIRE(reading.measurements().size() == 2 + static_cast<std::size_t>(r.model.nv));
  const Dense rows = dense(reading, s, std::vector<double>(reading.inputs().size(), 0.0));
  const auto read = [&](int measurement) {
    double value = 0;
    for (std::size_t c = 0; c < reading.unknown_names().size(); ++c)
      value += rows.A(reading.measurements()[measurement].first_row, static_cast<Eigen::Index>(c)) *
               truth[column_of(inverse, reading.unknown_names()[c])];
    return value;
  };
  CHECK(apart(read(0), true_torque(1) + 2 * true_torque(3) - true_torque(4)) <= 1e-10);
  CHECK(apart(read(1), true_torque(3)) <= 1e-10);
  set.sensors = {sensor("joint_acceleration", {"nobody"})};
  CHECK_THROWS_AS(System(r.model, set), InputError);
}

TEST_CASE("coupled joints: fingerprints know who follows whom, and multipliers as numbers") {
  const Model tree = random_tree(5, 2);
  const auto system = [&](std::size_t follower, std::size_t leader, double multiplier, double offset) {
    return System(coupled(tree, {{tree.joints[follower].name, tree.joints[leader].name, multiplier, offset}}),
                  forward_dynamics_set());
  };
  const System one = system(3, 1, 2, 0);
  CHECK(one.fingerprint() != System(tree, forward_dynamics_set()).fingerprint());
  CHECK(one.fingerprint() != system(4, 1, 2, 0).fingerprint());
  CHECK(one.fingerprint() != system(3, 2, 2, 0).fingerprint());
  CHECK(one.fingerprint() == system(3, 1, 3, 0).fingerprint());
  CHECK(one.numbers_fingerprint() != system(3, 1, 3, 0).numbers_fingerprint());
  CHECK(one.numbers_fingerprint() != system(3, 1, 2, 0.1).numbers_fingerprint());
}
