// ∂τ/∂q, ∂τ/∂v and M against complex steps of inverse dynamics: exact to rounding, and independent of the derivation.
#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/rnea.hpp"
#include "support.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double step = 1e-30;

/// τ at a complex state, by the recursive Newton–Euler algorithm.
std::vector<Complex> tau_of(const Model& model, const std::vector<Complex>& q, const std::vector<Complex>& v,
                            const std::vector<Complex>& a, const std::vector<Force<Complex>>& fx) {
  Workspace<Complex> ws(model);
  std::vector<Complex> tau(v.size());
  rnea(model, ws, q.data(), v.data(), a.data(), fx.data(), tau.data());
  return tau;
}

RneaMatrices<double> complex_steps(const Model& model, const State& s) {
  RneaMatrices<double> r(model);
  const auto q0 = cast_all<Complex>(s.q), v0 = cast_all<Complex>(s.v), a0 = cast_all<Complex>(s.a);
  const auto fx = cast_all<Complex>(s.fx);
  for (int k = 0; k < model.nv; ++k) {
    auto q = q0, v = v0, a = a0;
    step_tangent(model, q, k, Complex(0, step));
    v[k] += Complex(0, step);
    a[k] += Complex(0, step);
    const auto by_q = tau_of(model, q, v0, a0, fx), by_v = tau_of(model, q0, v, a0, fx), by_a = tau_of(model, q0, v0, a, fx);
    for (int i = 0; i < model.nv; ++i) {
      r.tau[i] = by_q[i].real();
      r.dq[i * model.nv + k] = by_q[i].imag() / step;
      r.dv[i * model.nv + k] = by_v[i].imag() / step;
      r.M[i * model.nv + k] = by_a[i].imag() / step;
    }
  }
  return r;
}

void check(const Model& model, const State& s) {
  MomentWorkspace<double> ws(model);
  RneaMatrices<double> x(model);
  rnea_derivatives(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), x.out());
  const RneaMatrices<double> r = complex_steps(model, s);
  CHECK(norm_error(x.tau, r.tau) < 1e-12);
  CHECK(norm_error(x.dq, r.dq) < 1e-12);
  CHECK(norm_error(x.dv, r.dv) < 1e-12);
  CHECK(norm_error(x.M, r.M) < 1e-12);
  int apart = 0;
  for (int i = 0; i < model.nv; ++i)
    for (int k = 0; k < model.nv; ++k)
      if (!on_one_branch(model, i, k))
        apart += x.dq[i * model.nv + k] != 0 || x.dv[i * model.nv + k] != 0 || x.M[i * model.nv + k] != 0;
  CHECK(apart == 0);
}

}  // namespace

TEST_CASE(
    "derivatives of inverse dynamics agree with the reference for each joint type on trees of its own kind, fixed and "
    "floating") {
  on_each_kind({1, 3, 5}, 0, {1, 2}, check);
}

TEST_CASE("derivatives of inverse dynamics agree with the reference for random trees of all joint types with wrenches") {
  on_mixed_trees(6, 8, 100, {2, 4}, check);
}
