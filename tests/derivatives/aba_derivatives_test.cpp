// ∂a/∂q, ∂a/∂v and ∂a/∂τ, by both methods, against complex steps of the articulated-body algorithm.
#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/derivatives.hpp"
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
  on_each_kind({4}, 7, {1, 2}, check);
}

TEST_CASE("forward dynamics: random trees of all joint types with wrenches") { on_mixed_trees(6, 8, 200, {2, 2}, check); }

TEST_CASE("a joint that moves no mass or no inertia is refused by both methods") {
  for (const Model& model : {massless_tip(), point_tip()})
    for (AbaDerivativeMethod method : {AbaDerivativeMethod::inertia, AbaDerivativeMethod::articulated}) {
      std::mt19937 rng(1);
      AbaDerivativeWorkspace<double> ws(model);
      Matrices x(model);
      const State s = random_state(model, rng);
      CHECK(aba_derivatives(model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), x.out(), method).singular == 1);
    }
}
