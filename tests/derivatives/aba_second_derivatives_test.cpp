// ∂²q̈ by every method, and λᵀ∂²q̈, against complex steps of the first derivatives of forward dynamics.
#include <catch2/catch.hpp>

#include "second_derivative_support.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "support/heap.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

template <class S>
struct First {
  explicit First(int n) : a(n), dq(n * n), dv(dq), dtau(dq) {}
  AbaDerivatives<S> out() { return {a.data(), dq.data(), dv.data(), dtau.data()}; }
  std::vector<S> a, dq, dv, dtau;
};

/// Tensors, or their contractions. In place of ∂M/∂q the last is ∂²q̈/∂q∂τ.
struct Second {
  explicit Second(std::size_t size) : qq(size, 7.0), qv(qq), vv(qq), qtau(qq) {}
  std::vector<double> qq, qv, vv, qtau;
};

Second complex_steps_of_aba(const Model& model, const State& s) {
  constexpr double step = 1e-30;
  const int n = model.nv;
  Second r(n * n * n);
  const auto q0 = cast_all<Complex>(s.q), v0 = cast_all<Complex>(s.v), tau = cast_all<Complex>(s.tau);
  const auto fx = cast_all<Complex>(s.fx);
  AbaDerivativeWorkspace<Complex> ws(model);
  First<Complex> x(n);
  for (int c = 0; c < n; ++c) {
    auto q = q0, v = v0;
    step_tangent(model, q, c, Complex(0, step));
    v[c] += Complex(0, step);
    REQUIRE(aba_derivatives(model, ws, q.data(), v0.data(), tau.data(), fx.data(), x.out()).ok());
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) {
        r.qq[(a * n + b) * n + c] = x.dq[a * n + b].imag() / step;
        r.qtau[(a * n + c) * n + b] = x.dtau[a * n + b].imag() / step;  // ∂M⁻¹_ab/∂q_c
      }
    REQUIRE(aba_derivatives(model, ws, q0.data(), v.data(), tau.data(), fx.data(), x.out()).ok());
    for (int ab = 0; ab < n * n; ++ab) r.qv[ab * n + c] = x.dq[ab].imag() / step, r.vv[ab * n + c] = x.dv[ab].imag() / step;
  }
  return r;
}

void check_equal(const Second& x, const Second& r, double tolerance) {
  CHECK(norm_error(x.qq, r.qq) < tolerance);
  CHECK(norm_error(x.qv, r.qv) < tolerance);
  CHECK(norm_error(x.vv, r.vv) < tolerance);
  CHECK(norm_error(x.qtau, r.qtau) < tolerance);
}

void check(const Model& model, const State& s) {
  const std::size_t n = static_cast<std::size_t>(model.nv);
  const Second r = complex_steps_of_aba(model, s);
  const double *q = s.q.data(), *v = s.v.data(), *tau = s.tau.data();
  AbaSecondWorkspace<double> ws(model);
  First<double> first(model.nv);
  Second x(n * n * n);
  double tolerance = 0;
  for (InnerTerm inner : {InnerTerm::tensor_product, InnerTerm::inverse_dynamics})
    for (OuterTerm outer : {OuterTerm::matrix_product, OuterTerm::articulated}) {
      INFO("inner " << static_cast<int>(inner) << " outer " << static_cast<int>(outer));
      DynamicsStatus status;
      CHECK(allocations_of([&] {
              status = aba_second_derivatives(model, ws, q, v, tau, s.fx.data(), first.out(),
                                              {x.qq.data(), x.qv.data(), x.vv.data(), x.qtau.data()}, {inner, outer});
            }) == 0);
      REQUIRE(status.ok());
      tolerance = 1e-12 * std::max(1.0, 1e-1 * condition(model, s, first.dtau));
      check_equal(x, r, tolerance);
    }
  AbaContractionWorkspace<double> contraction(model);
  Second y(n * n), expected(0);
  const std::vector<double>& lambda = s.a;
  DynamicsStatus status;
  CHECK(allocations_of([&] {
          status = aba_contraction(model, contraction, q, v, tau, s.fx.data(), lambda.data(), first.out(),
                                   {y.qq.data(), y.qv.data(), y.vv.data(), y.qtau.data()});
        }) == 0);
  REQUIRE(status.ok());
  expected.qq = contracted(r.qq, lambda), expected.qv = contracted(r.qv, lambda);
  expected.vv = contracted(r.vv, lambda), expected.qtau = contracted(r.qtau, lambda);
  check_equal(y, expected, tolerance);
}

}  // namespace

TEST_CASE("forward dynamics to second order: each joint type on trees of its own kind, fixed and floating") {
  on_each_kind({3}, 11, {1, 1}, check);
}

TEST_CASE("forward dynamics to second order: random trees of all joint types with wrenches") {
  on_mixed_trees(3, 6, 700, {1, 1}, check);
}

TEST_CASE("forward dynamics to second order: a joint that moves no mass or no inertia is refused, by its freedom") {
  const Model model = GENERATE(massless_tip(), point_tip());
  std::mt19937 rng(1);
  const State s = random_state(model, rng);
  AbaSecondWorkspace<double> ws(model);
  AbaContractionWorkspace<double> contraction(model);
  First<double> first(2);
  Second x(8);
  CHECK(aba_second_derivatives(model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), first.out(),
                               {x.qq.data(), x.qv.data(), x.vv.data(), x.qtau.data()})
            .singular == 1);
  CHECK(aba_contraction(model, contraction, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), s.a.data(), first.out(),
                        {x.qq.data(), x.qv.data(), x.vv.data(), x.qtau.data()})
            .singular == 1);
}
