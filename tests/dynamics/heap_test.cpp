// No algorithm touches the heap once its workspace stands.
#include "support/heap.hpp"

#include <catch2/catch.hpp>

#include "dynamics/ltdl.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/detail/direct_minverse.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

TEST_CASE("the allocation counter counts an allocation") {
  CHECK(allocations_of([] {
          std::vector<int> some(100);
          return some.size();
        }) > 0);
}

TEST_CASE("the recursive algorithms do not allocate") {
  const Model model = random_tree(10, 1, {true, true, 0.4, every_joint_kind()});
  std::mt19937 rng(1);
  State s = random_state(model, rng);
  Workspace<double> ws(model);
  DirectMinverseWorkspace<double> direct(model);
  std::vector<double> out(s.v.size()), matrix(s.v.size() * s.v.size()), J(6 * s.v.size());
  std::vector<Force<double>> on_links(model.links.size());
  const double *q = s.q.data(), *v = s.v.data();
  CHECK(allocations_of([&] {
          rnea(model, ws, q, v, s.a.data(), s.fx.data(), out.data());
          aba(model, ws, q, v, s.tau.data(), s.fx.data(), out.data());
          bias_forces(model, ws, q, v, s.fx.data(), out.data());
          gravity_torques(model, ws, q, out.data());
          crba(model, ws, q, matrix.data());
          ltdl_factor(model.nv, ws.parent_freedom.data(), matrix.data());
          ltdl_solve(model.nv, ws.parent_freedom.data(), matrix.data(), out.data());
          minverse(model, ws, q, matrix.data());
          direct_minverse(model, direct, q, matrix.data());
          forward_kinematics(model, ws, q, v, s.a.data());
          link_jacobian(model, ws, static_cast<int>(model.links.size()) - 1, Axes::world, J.data());
          momentum(model, ws);
          momentum_rate(model, ws);
          kinetic_energy(model, ws);
          potential_energy(model, ws);
          link_wrenches_to_bodies(model, on_links.data(), s.fx.data());
          integrate(model, q, v, s.q.data());
          difference(model, q, s.q.data(), out.data());
          normalise(model, s.q.data());
        }) == 0);
}
