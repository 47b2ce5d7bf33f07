// Inverse dynamics against Featherstone's spatial form, f = I a + v ×* I v − fx: other accelerations (spatial, not classical),
// another inertia (tensor, not second moments).
#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

std::vector<double> spatial_rnea(const Model& model, const State& s) {
  Workspace<double> ws(model);
  forward_kinematics(model, ws, s.q.data(), s.v.data(), s.a.data());
  std::vector<Force<double>> f(model.bodies.size());
  std::vector<double> tau(s.v.size());
  for (int i = static_cast<int>(f.size()) - 1; i >= 0; --i) {
    const Body& body = model.bodies[i];
    const Motion<double>& v = ws.velocity[i];
    f[i] = f[i] + body.inertia * ws.acceleration[i] + cross(v, body.inertia * v) - s.fx[i];
    joint_force(body, f[i], tau.data());
    if (body.parent >= 0) f[body.parent] = f[body.parent] + to_parent(ws.pose[i], f[i]);
  }
  return tau;
}

void check_spatial(const Model& model, const State& s) {
  Workspace<double> ws(model);
  std::vector<double> tau(s.v.size());
  rnea(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), tau.data());
  CHECK(norm_error(tau, spatial_rnea(model, s)) < 1e-11);
}

}  // namespace

TEST_CASE("rnea agrees with the spatial form on every joint type") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 20; ++seed) {
      const Model model = random_tree(12, seed, {floating, true, 0.4, every_joint_kind()});
      std::mt19937 rng(seed);
      for (int k = 0; k < 10; ++k) check_spatial(model, random_state(model, rng));
      for (const State& s : special_states(model, rng, 10)) check_spatial(model, s);
    }
}

TEST_CASE("wrenches on links act on the bodies that carry them") {
  std::mt19937 rng(3);
  const Model model = random_tree(8, 3);
  State s = random_state(model, rng);
  std::vector<Force<double>> links;
  for (std::size_t i = 0; i < model.links.size(); ++i) links.push_back({random_vector(rng), random_vector(rng)});
  link_wrenches_to_bodies(model, links.data(), s.fx.data());
  // power of all wrenches on the links' own velocities = power of the bodies' wrenches
  Workspace<double> ws(model);
  forward_kinematics(model, ws, s.q.data(), s.v.data(), s.a.data());
  double by_links = 0, by_bodies = 0;
  for (std::size_t i = 0; i < links.size(); ++i) by_links += dot(link_velocity(model, ws, static_cast<int>(i)), links[i]);
  for (std::size_t b = 0; b < s.fx.size(); ++b) by_bodies += dot(ws.velocity[b], s.fx[b]);
  CHECK(by_links == Approx(by_bodies).epsilon(1e-12));
}
