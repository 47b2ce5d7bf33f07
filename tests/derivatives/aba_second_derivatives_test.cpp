// ∂²q̈ by every method, and λᵀ∂²q̈, against complex steps of the first derivatives of forward dynamics.
#include "sparsedyn/recursive/aba_second_derivatives.hpp"

#include <catch2/catch.hpp>

#include "second_derivative_support.hpp"
#include "sparsedyn/recursive/aba_contraction.hpp"
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

/// The largest entry of |M| |M⁻¹|, which rounding in M and in its derivatives is amplified by.
double condition(const Model& model, const State& s, const std::vector<double>& Minv) {
  MomentWorkspace<double> ws(model);
  RneaMatrices<double> x(model);
  rnea_derivatives(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), x.out());
  double M = 0, inverse = 0;
  for (double e : x.M) M = std::max(M, std::abs(e));
  for (double e : Minv) inverse = std::max(inverse, std::abs(e));
  return std::max(1.0, M * inverse);
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
      tolerance = 1e-12 * condition(model, s, first.dtau);
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
  for (JointKind kind : every_joint_kind())
    for (bool floating : {false, true}) {
      INFO("kind " << static_cast<int>(kind) << " floating " << floating);
      const Model model = random_tree(3, 11, {floating, true, 0.4, {kind}});
      std::mt19937 rng(3);
      check(model, random_state(model, rng));
      for (const State& s : special_states(model, rng, 1)) check(model, s);
    }
}

TEST_CASE("forward dynamics to second order: random trees of all joint types with wrenches") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 3; ++seed) {
      INFO("floating " << floating << " seed " << seed);
      const Model model = random_tree(6, 700 + seed, {floating, true, 0.4, every_joint_kind()});
      std::mt19937 rng(seed);
      check(model, random_state(model, rng));
      for (const State& s : special_states(model, rng, 1)) check(model, s);
    }
}

TEST_CASE("forward dynamics to second order: a joint that moves no mass is refused, by its freedom") {
  ModelBuilder builder("massless");
  std::mt19937 rng(1);
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  builder.root("root", random_inertia(rng), false);
  builder.link("arm", random_inertia(rng), "root", "shoulder", hinge, random_pose(rng));
  builder.link("tip", zero_inertia<double>(), "arm", "wrist", hinge, random_pose(rng));
  const Model model = builder.build();
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
