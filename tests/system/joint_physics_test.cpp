// Rotors, damping, friction and offsets in the system of every formulation, and what its sensors then read.
#include <catch2/catch.hpp>

#include "dense.hpp"
#include "examples/matrix_aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "support/joint_law.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

SensorSet given_of_joints(const std::string& type) {
  SensorSet set;
  set.sensors = {sensor(type), sensor(type, {"base"}, "base"), sensor("external_wrench")};
  set.sensors[1].optional = true;
  for (const char* part : {"nx", "ny", "nz", "fx", "fy", "fz"}) set.sensors[2].components.push_back(part);
  set.sensors[2].value = {0, 0, 0, 0, 0, 0};
  return set;
}

/// The solution of a system whose inputs are numbers of the joints, in the order of v.
Eigen::VectorXd solved(const System& system, const State& s, const std::vector<double>& of_joints) {
  std::vector<double> y;
  for (const Input& input : system.inputs()) {
    const Measurement& m = system.measurements()[input.measurement];
    y.push_back(of_joints[system.model().joints[m.joint].v + m.components[input.component]]);
  }
  const Dense d = dense(system, s, y);
  return d.A.fullPivLu().solve(d.b);
}

}  // namespace

TEST_CASE("every formulation: inverse and forward dynamics of joints with rotors and friction are rnea's") {
  for (bool floating : {false, true}) {
    const Model model = with_joint_physics(random_tree(6, 3, {floating, true, 0.4}), 5);
    std::mt19937 rng(1);
    const State s = random_state(model, rng);
    Workspace<double> ws(model);
    std::vector<double> tau(s.v.size());
    rnea<double>(model, ws, s.q.data(), s.v.data(), s.a.data(), nullptr, tau.data());
    for (const Formulation& formulation : all_formulations()) {
      INFO(formulation_name(formulation) << " floating " << floating);
      const System inverse(model, given_of_joints("joint_acceleration"), formulation);
      const System forward(model, given_of_joints("joint_torque"), formulation);
      const Eigen::VectorXd x = solved(inverse, s, s.a), z = solved(forward, s, tau);
      for (int k = 0; k < model.nv; ++k) {
        const auto i = static_cast<std::size_t>(k);
        CHECK(std::abs(x[inverse.tau_column(k)] - tau[i]) <= 1e-10 * std::max(1.0, std::abs(tau[i])));
        CHECK(std::abs(z[forward.ddq_column(k)] - s.a[i]) <= 1e-8 * std::max(1.0, std::abs(s.a[i])));
      }
    }
  }
}

TEST_CASE("f.JOINT holds none of the joint's own terms, tau.JOINT all of them") {
  const Model rigid = random_tree(5, 3, {false, true, 0.4}), model = with_joint_physics(rigid, 5);
  std::mt19937 rng(2);
  const State s = random_state(model, rng);
  const System with(model, given_of_joints("joint_acceleration")), without(rigid, given_of_joints("joint_acceleration"));
  const Eigen::VectorXd x = solved(with, s, s.a), r = solved(without, s, s.a);
  for (std::size_t u = 0; u < with.unknowns().size(); ++u) {
    const auto k = static_cast<Eigen::Index>(u);
    const Variable& unknown = with.unknowns()[u];
    const double size = std::max(1.0, std::abs(r[k]));
    if (unknown.kind != VariableKind::tau) {
      CHECK(std::abs(x[k] - r[k]) <= 1e-12 * size);
      continue;
    }
    const JointPhysics& p = model.physics[unknown.component];
    const auto freedom = static_cast<std::size_t>(unknown.component);
    const double added = p.armature * s.a[freedom] + torque_of_speed(model, s, freedom) + torque_at_rest(model, s, freedom);
    CHECK(std::abs(x[k] - r[k] - added) <= 1e-12 * size);
  }
}

TEST_CASE("the five matrices of the articulated-body algorithm with rotors") {
  const Model model = with_joint_physics(random_tree(6, 3, {false, true, 0.4}), 5);
  std::mt19937 rng(3);
  const State s = random_state(model, rng);
  const System system(model, given_of_joints("joint_torque"));
  Workspace<double> ws(model);
  std::vector<double> tau(s.v.size());
  rnea<double>(model, ws, s.q.data(), s.v.data(), s.a.data(), nullptr, tau.data());
  const Eigen::VectorXd x = matrix_aba(system, s.q.data(), s.v.data(), tau.data()).solve();
  for (int k = 0; k < model.nv; ++k)
    CHECK(x[system.ddq_column(k)] == Approx(s.a[static_cast<std::size_t>(k)]).epsilon(1e-9).margin(1e-9));
}

TEST_CASE("Springs and what sliding takes are numbers of a plan's robot, not entries") {
  const Model rigid = random_tree(5, 3, {false, true, 0.4});
  const auto system = [&](double stribeck, std::optional<double> stiffness) {
    Model model = rigid;
    JointPhysics p;
    p.friction = 1, p.stribeck = stribeck, p.stiffness = stiffness;
    set_joint_physics(model, "joint2", p);
    return System(model, given_of_joints("joint_torque"));
  };
  const System plain = system(0, std::nullopt), sliding = system(0.5, std::nullopt), sprung = system(0, 2);
  for (const System* each : {&sliding, &sprung}) {
    CHECK(each->fingerprint() == plain.fingerprint());
    CHECK(each->numbers_fingerprint() != plain.numbers_fingerprint());
  }
}

TEST_CASE("fingerprints know rotors as entries, and all of it as numbers") {
  const Model rigid = random_tree(5, 3, {false, true, 0.4});
  const auto system = [&](double armature, double damping) {
    Model model = rigid;
    JointPhysics p;
    p.armature = armature, p.damping = damping;
    set_joint_physics(model, "joint2", p);
    return System(model, given_of_joints("joint_torque"));
  };
  const System none = system(0, 0), damped = system(0, 1), geared = system(1, 0);
  CHECK(none.fingerprint() == System(rigid, given_of_joints("joint_torque")).fingerprint());
  CHECK(damped.fingerprint() == none.fingerprint());
  CHECK(damped.numbers_fingerprint() != none.numbers_fingerprint());
  CHECK(geared.fingerprint() != none.fingerprint());
}
