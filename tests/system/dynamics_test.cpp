// The system, solved densely, against the recursive algorithms.
#include <catch2/catch.hpp>

#include "dense.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/spatial/detail/component.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

SensorSet inverse_dynamics() {
  SensorSet set;
  set.sensors = {sensor("joint_acceleration"), sensor("joint_acceleration", {"base"}, "base"), sensor("external_wrench")};
  set.sensors[1].optional = true;
  return set;
}
SensorSet forward_dynamics() {
  SensorSet set;
  set.sensors = {sensor("joint_torque"), sensor("joint_torque", {"base"}, "base"), sensor("external_wrench")};
  set.sensors[1].optional = true;
  return set;
}

/// y from what the first stand-in or the entry's own name says: ddq and tau by joint, fx by link.
std::vector<double> inputs_from(const System& system, const std::vector<double>& joint_values,
                                const std::vector<Force<double>>& wrenches) {
  std::vector<double> y;
  for (const Input& input : system.inputs()) {
    const Measurement& m = system.measurements()[input.measurement];
    const int c = m.components[input.component];
    if (m.joint >= 0)
      y.push_back(joint_values[system.model().joints[m.joint].v + c]);
    else
      y.push_back(component(wrenches[m.link], c));
  }
  return y;
}

void compare_with_recursive(const Model& model, unsigned seed, int states) {
  std::mt19937 rng(seed);
  const System inverse(model, inverse_dynamics()), forward(model, forward_dynamics());
  REQUIRE(inverse.pattern().rows == inverse.pattern().columns);
  REQUIRE(forward.pattern().rows == forward.pattern().columns);
  Workspace<double> ws(model);
  for (int n = 0; n < states; ++n) {
    const State s = random_state(model, rng);
    std::vector<double> a(model.nv), tau(model.nv), back(model.nv);
    for (double& x : a) x = std::normal_distribution<double>()(rng);
    std::vector<Force<double>> wrenches;
    for (std::size_t l = 0; l < model.links.size(); ++l) wrenches.push_back({random_vector(rng), random_vector(rng)});
    std::vector<Force<double>> on_bodies(model.bodies.size());
    link_wrenches_to_bodies(model, wrenches.data(), on_bodies.data());
    rnea(model, ws, s.q.data(), s.v.data(), a.data(), on_bodies.data(), tau.data());

    const Dense id = dense(inverse, s, inputs_from(inverse, a, wrenches));
    const Eigen::VectorXd x = id.A.partialPivLu().solve(id.b);
    const Dense fd = dense(forward, s, inputs_from(forward, tau, wrenches));
    const Eigen::VectorXd z = fd.A.fullPivLu().solve(fd.b);
    for (int k = 0; k < model.nv; ++k) {
      INFO(velocity_names(model)[k]);
      CHECK(std::abs(x[inverse.tau_column(k)] - tau[k]) <= 1e-10 * std::max(1.0, std::abs(tau[k])));
      CHECK(std::abs(z[forward.ddq_column(k)] - a[k]) <= 1e-7 * std::max(1.0, std::abs(a[k])));
    }
  }
}

}  // namespace

TEST_CASE("dense solution of random trees, every joint type, against rnea and aba") {
  const std::vector<JointKind> all{JointKind::revolute,  JointKind::prismatic, JointKind::helical,
                                   JointKind::universal, JointKind::spherical, JointKind::planar,
                                   JointKind::floating,  JointKind::composite, JointKind::continuous};
  for (bool floating : {false, true})
    for (unsigned seed = 1; seed <= 6; ++seed) {
      TreeOptions options;
      options.floating = floating;
      options.kinds = all;
      compare_with_recursive(random_tree(7, seed, options), seed, 3);
    }
}

TEST_CASE("the dense solution of whole robots agrees with rnea and aba") {
  for (const std::string& path : all_robots())
    for (bool floating : {false, true}) {
      INFO(path);
      LoadOptions options;
      options.floating = floating;
      const Model model = load_urdf(path, options);
      if (model.nv > 30) continue;  // dense elimination of the large ones takes long and shows nothing else
      compare_with_recursive(model, 5, 1);
    }
}
