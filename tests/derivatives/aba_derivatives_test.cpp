// ∂a/∂q, ∂a/∂v and ∂a/∂τ, by both methods, against complex steps of the articulated-body algorithm.
#include "sparsedyn/recursive/aba_derivatives.hpp"

#include <catch2/catch.hpp>

#include "support.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double step = 1e-30;

struct Matrices {
  std::vector<double> a, dq, dv, dtau;
  explicit Matrices(const Model& m) : a(m.nv), dq(m.nv * m.nv), dv(dq), dtau(dq) {}
  AbaDerivatives<double> out() { return {a.data(), dq.data(), dv.data(), dtau.data()}; }
};

Matrices complex_steps(const Model& model, const State& s) {
  Matrices r(model);
  Workspace<Complex> ws(model);
  const auto fx = cast_all<Complex>(s.fx);
  const auto column = [&](std::vector<Complex> q, std::vector<Complex> v, std::vector<Complex> tau, int k, auto& into) {
    std::vector<Complex> a(v.size());
    REQUIRE(aba(model, ws, q.data(), v.data(), tau.data(), fx.data(), a.data()).ok());
    for (int i = 0; i < model.nv; ++i) into[i * model.nv + k] = a[i].imag() / step, r.a[i] = a[i].real();
  };
  const auto q0 = cast_all<Complex>(s.q), v0 = cast_all<Complex>(s.v), tau0 = cast_all<Complex>(s.tau);
  for (int k = 0; k < model.nv; ++k) {
    auto q = q0, v = v0, tau = tau0;
    step_tangent(model, q, k, Complex(0, step));
    v[k] += Complex(0, step);
    tau[k] += Complex(0, step);
    column(q, v0, tau0, k, r.dq);
    column(q0, v, tau0, k, r.dv);
    column(q0, v0, tau, k, r.dtau);
  }
  return r;
}

/// The largest entry of |M| |M⁻¹|: how much rounding the solution may amplify.
double condition(const Model& model, const State& s, const std::vector<double>& Minv) {
  MomentWorkspace<double> ws(model);
  RneaMatrices<double> x(model);
  rnea_derivatives(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), x.out());
  double M = 0, inverse = 0;
  for (double e : x.M) M = std::max(M, std::abs(e));
  for (double e : Minv) inverse = std::max(inverse, std::abs(e));
  return std::max(1.0, M * inverse);
}

void check(const Model& model, const State& s) {
  const Matrices r = complex_steps(model, s);
  const double tolerance = 1e-12 * std::max(1.0, 1e-1 * condition(model, s, r.dtau));
  AbaDerivativeWorkspace<double> ws(model);
  for (AbaDerivativeMethod method : {AbaDerivativeMethod::inertia, AbaDerivativeMethod::articulated}) {
    Matrices x(model);
    REQUIRE(aba_derivatives(model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), x.out(), method).ok());
    CHECK(norm_error(x.a, r.a) < tolerance);
    CHECK(norm_error(x.dq, r.dq) < tolerance);
    CHECK(norm_error(x.dv, r.dv) < tolerance);
    CHECK(norm_error(x.dtau, r.dtau) < tolerance);
  }
}

}  // namespace

TEST_CASE("forward dynamics: every joint type, fixed and floating, random and special states") {
  for (JointKind kind : every_joint_kind())
    for (bool floating : {false, true}) {
      INFO("kind " << static_cast<int>(kind) << " floating " << floating);
      const Model model = random_tree(4, 7, {floating, true, 0.4, {kind}});
      std::mt19937 rng(3);
      check(model, random_state(model, rng));
      for (const State& s : special_states(model, rng, 2)) check(model, s);
    }
}

TEST_CASE("forward dynamics: random trees of all joint types with wrenches") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 6; ++seed) {
      INFO("floating " << floating << " seed " << seed);
      const Model model = random_tree(8, 200 + seed, {floating, true, 0.4, every_joint_kind()});
      std::mt19937 rng(seed);
      for (int k = 0; k < 2; ++k) check(model, random_state(model, rng));
      for (const State& s : special_states(model, rng, 2)) check(model, s);
    }
}

TEST_CASE("a joint that moves no mass is refused") {
  ModelBuilder builder("massless");
  std::mt19937 rng(1);
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  builder.root("root", random_inertia(rng), false);
  builder.link("arm", random_inertia(rng), "root", "shoulder", hinge, random_pose(rng));
  builder.link("tip", zero_inertia<double>(), "arm", "wrist", hinge, random_pose(rng));
  const Model model = builder.build();
  AbaDerivativeWorkspace<double> ws(model);
  Matrices x(model);
  const State s = random_state(model, rng);
  CHECK_FALSE(aba_derivatives(model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), x.out()).ok());
}
