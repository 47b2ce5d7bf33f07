// A floating root without mass, on which all hangs by one joint: M is singular at every state, whatever rounding makes of it.
#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/aba.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;

namespace {

/// root – rod on one joint of that kind, and on the rod a tree that does not matter.
Model on_massless_root(JointKind kind, unsigned seed, const Inertia<double>& of_root = zero_inertia<double>()) {
  std::mt19937 rng(seed);
  ModelBuilder builder("rod");
  builder.root("root", of_root, true);
  JointSpec spec;
  spec.kind = kind, spec.axis = test::random_vector(rng);
  const Inertia<double> rod = test::random_inertia(rng), tip = test::random_inertia(rng);
  const Pose<double> first = test::random_pose(rng), second = test::random_pose(rng);
  builder.link("rod", rod, "root", "hinge", spec, first);
  spec.kind = JointKind::revolute, spec.axis = test::random_vector(rng);
  builder.link("tip", tip, "rod", "wrist", spec, second);
  return builder.build();
}

}  // namespace

TEST_CASE("forward dynamics on a massless floating root names a freedom of the root, about every axis") {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    INFO(seed);
    const Model model = on_massless_root(seed % 2 ? JointKind::revolute : JointKind::prismatic, seed);
    std::mt19937 rng(seed);
    const test::State s = test::random_state(model, rng);
    Workspace<double> ws(model);
    std::vector<double> a(static_cast<std::size_t>(model.nv));
    const DynamicsStatus status =
        aba(model, ws, s.q.data(), s.v.data(), s.tau.data(), static_cast<const Force<double>*>(nullptr), a.data());
    CHECK(status.singular >= 0);
    CHECK(status.singular < 6);
  }
}

TEST_CASE("the least mass on the root that arithmetic sees gives an answer") {
  for (unsigned seed = 0; seed < 500; ++seed) {
    INFO(seed);
    const double m = 1e-9;
    const Model model = on_massless_root(JointKind::revolute, seed,
                                         inertia_about_com(m, zero3<double>(), {0.1 * m, 0, 0, 0.1 * m, 0, 0.1 * m}));
    std::mt19937 rng(seed);
    const test::State s = test::random_state(model, rng);
    Workspace<double> ws(model);
    std::vector<double> a(static_cast<std::size_t>(model.nv));
    CHECK(aba(model, ws, s.q.data(), s.v.data(), s.tau.data(), static_cast<const Force<double>*>(nullptr), a.data()).ok());
  }
}
