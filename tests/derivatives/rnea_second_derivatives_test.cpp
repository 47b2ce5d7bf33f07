// ∂²τ/∂q∂q, ∂²τ/∂q∂v, ∂²τ/∂v∂v and ∂M/∂q against complex steps of the first derivatives, in the convention
// [a,b,c] = derivative by c of ∂τ_a/∂q_b (or of ∂τ_a/∂v_b, or of M_ab).
#include <catch2/catch.hpp>

#include "sparsedyn/recursive/second_derivative_contraction.hpp"
#include "support.hpp"
#include "support/heap.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double step = 1e-30;

/// Dense tensors, [a,b,c] at (a n + b) n + c.
struct Tensors {
  explicit Tensors(int n) : qq(n * n * n, 0.0), qv(qq), vv(qq), Mq(qq) {}
  std::vector<double> qq, qv, vv, Mq;
};

Tensors complex_steps(const Model& model, const State& s) {
  const int n = model.nv;
  Tensors r(n);
  const auto q0 = cast_all<Complex>(s.q), v0 = cast_all<Complex>(s.v), a = cast_all<Complex>(s.a);
  const auto fx = cast_all<Complex>(s.fx);
  MomentWorkspace<Complex> ws(model);
  RneaMatrices<Complex> x(model);
  for (int c = 0; c < n; ++c) {
    auto q = q0, v = v0;
    step_tangent(model, q, c, Complex(0, step));
    v[c] += Complex(0, step);
    rnea_derivatives(model, ws, q.data(), v0.data(), a.data(), fx.data(), x.out());
    for (int ab = 0; ab < n * n; ++ab) r.qq[ab * n + c] = x.dq[ab].imag() / step, r.Mq[ab * n + c] = x.M[ab].imag() / step;
    rnea_derivatives(model, ws, q0.data(), v.data(), a.data(), fx.data(), x.out());
    for (int ab = 0; ab < n * n; ++ab) r.qv[ab * n + c] = x.dq[ab].imag() / step, r.vv[ab * n + c] = x.dv[ab].imag() / step;
  }
  return r;
}

Tensors dense(const Model& model, const State& s) {
  const int n = model.nv;
  SecondWorkspace<double> ws(model);
  SecondDerivatives<double> x(model);
  rnea_second_derivatives(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), x);
  Tensors t(n);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int c = 0; c < n; ++c) {
        const int at = (a * n + b) * n + c;
        t.qq[at] = x.qq(a, b, c), t.qv[at] = x.qv(a, b, c), t.vv[at] = x.vv(a, b, c), t.Mq[at] = x.Mq(a, b, c);
      }
  return t;
}

void check(const Model& model, const State& s) {
  const Tensors x = dense(model, s), r = complex_steps(model, s);
  CHECK(norm_error(x.vv, r.vv) < 1e-12);
  CHECK(norm_error(x.Mq, r.Mq) < 1e-12);
  CHECK(norm_error(x.qv, r.qv) < 1e-12);
  CHECK(norm_error(x.qq, r.qq) < 1e-12);
}

}  // namespace

TEST_CASE("second derivatives: each joint type alone and on trees of its own kind, fixed and floating") {
  for (JointKind kind : every_joint_kind())
    for (bool floating : {false, true})
      for (unsigned seed = 0; seed < 3; ++seed) {
        INFO("kind " << static_cast<int>(kind) << " floating " << floating << " seed " << seed);
        const Model model = random_tree(1 + static_cast<int>(seed), seed, {floating, true, 0.4, {kind}});
        std::mt19937 rng(seed);
        check(model, random_state(model, rng));
        for (const State& s : special_states(model, rng, 1)) check(model, s);
      }
}

TEST_CASE("second derivatives: random trees of all joint types with wrenches") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 4; ++seed) {
      INFO("floating " << floating << " seed " << seed);
      const Model model = random_tree(7, 500 + seed, {floating, true, 0.4, every_joint_kind()});
      std::mt19937 rng(seed);
      check(model, random_state(model, rng));
      for (const State& s : special_states(model, rng, 1)) check(model, s);
    }
}

TEST_CASE("contractions are the sums over the tensors' first index") {
  for (bool floating : {false, true}) {
    const Model model = random_tree(6, 600, {floating, true, 0.4, every_joint_kind()});
    std::mt19937 rng(7);
    const State s = random_state(model, rng);
    const int n = model.nv;
    SecondWorkspace<double> ws(model);
    SecondDerivatives<double> second(model);
    rnea_second_derivatives(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), second);
    std::vector<double> qq(n * n), qv(qq), vv(qq), Mq(qq);
    const double* lambda = s.tau.data();
    CHECK(allocations_of([&] { contract(second, lambda, {qq.data(), qv.data(), vv.data(), Mq.data()}); }) == 0);
    std::vector<double> r[4] = {qq, qq, qq, qq};
    for (int b = 0; b < n; ++b)
      for (int c = 0; c < n; ++c) {
        for (auto& matrix : r) matrix[b * n + c] = 0;
        for (int a = 0; a < n; ++a) {
          r[0][b * n + c] += lambda[a] * second.qq(a, b, c), r[1][b * n + c] += lambda[a] * second.qv(a, b, c);
          r[2][b * n + c] += lambda[a] * second.vv(a, b, c), r[3][b * n + c] += lambda[a] * second.Mq(a, b, c);
        }
      }
    CHECK(norm_error(qq, r[0]) < 1e-13);
    CHECK(norm_error(qv, r[1]) < 1e-13);
    CHECK(norm_error(vv, r[2]) < 1e-13);
    CHECK(norm_error(Mq, r[3]) < 1e-13);
  }
}

TEST_CASE("second derivatives do not allocate") {
  const Model model = random_tree(6, 1, {true, true, 0.4, every_joint_kind()});
  std::mt19937 rng(1);
  const State s = random_state(model, rng);
  SecondWorkspace<double> ws(model);
  SecondDerivatives<double> x(model);
  CHECK(allocations_of([&] { rnea_second_derivatives(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), x); }) == 0);
}
