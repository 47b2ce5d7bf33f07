// A floating root without mass, on which all hangs by one joint: M is singular at every state, whatever rounding makes of it.
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
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

/// The freedom that each algorithm names, or -1: aba, minverse, direct_minverse, aba_derivatives by both methods.
std::vector<int> named_as_singular(const Model& model, const test::State& s) {
  const auto n = static_cast<std::size_t>(model.nv);
  const double *q = s.q.data(), *v = s.v.data(), *tau = s.tau.data();
  const Force<double>* const none = nullptr;
  std::vector<double> a(n), dq(n * n), dv(n * n), inverse(n * n);
  const AbaDerivatives<double> out{a.data(), dq.data(), dv.data(), inverse.data()};
  Workspace<double> ws(model);
  DirectMinverseWorkspace<double> direct(model);
  AbaDerivativeWorkspace<double> derivatives(model);
  return {aba(model, ws, q, v, tau, none, a.data()).singular, minverse(model, ws, q, inverse.data()).singular,
          direct_minverse(model, direct, q, inverse.data()).singular,
          aba_derivatives(model, derivatives, q, v, tau, none, out, AbaDerivativeMethod::inertia).singular,
          aba_derivatives(model, derivatives, q, v, tau, none, out, AbaDerivativeMethod::articulated).singular};
}

/// A floating tree whose links weigh from 10⁻⁶ kg to 1 kg, the heavy ones anywhere; on hinges, or on joints of every kind.
Model of_many_weights(unsigned seed) {
  test::TreeOptions options;
  options.floating = true, options.lumped = false;
  if (seed % 2) options.kinds = test::every_joint_kind();
  Model model = test::random_tree(2 + static_cast<int>(seed % 9), seed, options);
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> decades(-6.0, 0.0);
  for (Body& body : model.bodies) {
    const double scale = std::pow(10.0, decades(rng));
    Inertia<double>& I = body.inertia;
    const Sym3<double>& s = I.moments;
    I = {scale * I.m, scale * I.h, {scale * s.xx, scale * s.xy, scale * s.xz, scale * s.yy, scale * s.yz, scale * s.zz}};
  }
  return model;
}

}  // namespace

TEST_CASE("forward dynamics on a massless floating root names a freedom of the root, about every axis") {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    INFO(seed);
    const Model model = on_massless_root(seed % 2 ? JointKind::revolute : JointKind::prismatic, seed);
    std::mt19937 rng(seed);
    const test::State s = test::random_state(model, rng);
    for (int freedom : named_as_singular(model, s)) {
      CHECK(freedom >= 0);
      CHECK(freedom < 6);
    }
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
    for (int freedom : named_as_singular(model, s)) CHECK(freedom == -1);
  }
}

TEST_CASE("robots whose masses spread over six decades are not singular") {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    INFO(seed);
    const Model model = of_many_weights(seed);
    std::mt19937 rng(seed);
    const test::State s = test::random_state(model, rng);
    for (int freedom : named_as_singular(model, s)) CHECK(freedom == -1);
  }
}
