// Inverse and forward dynamics undo each other, on trees with every joint type.
#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

void check_inverse(const Model& model, const State& s) {
  Workspace<double> ws(model);
  std::vector<double> a(s.v.size()), tau(s.v.size());
  REQUIRE(aba(model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), a.data()).ok());
  rnea(model, ws, s.q.data(), s.v.data(), a.data(), s.fx.data(), tau.data());
  double size = 1;  // accelerations of light links are large, and so is the rounding of what they cancel in
  for (double e : a) size = std::max(size, std::fabs(e));
  CHECK(worst_error(tau, s.tau) < 1e-12 * size);
}

}  // namespace

TEST_CASE("rnea of aba's accelerations returns the torques") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 20; ++seed) {
      const Model rigid = random_tree(12, seed, {floating, true, 0.4, every_joint_kind()});
      const Model model = seed % 2 ? with_joint_physics(rigid, seed) : rigid;
      std::mt19937 rng(seed);
      for (int k = 0; k < 10; ++k) check_inverse(model, random_state(model, rng));
      for (const State& s : special_states(model, rng, 10)) check_inverse(model, s);
    }
}
