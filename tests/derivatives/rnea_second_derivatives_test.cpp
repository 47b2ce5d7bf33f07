// ∂²τ/∂q∂q, ∂²τ/∂q∂v, ∂²τ/∂v∂v and ∂M/∂q against complex steps of the first derivatives, in the convention
// [a,b,c] = derivative by c of ∂τ_a/∂q_b (or of ∂τ_a/∂v_b, or of M_ab).
#include <catch2/catch.hpp>

#include "second_derivative_support.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "support/heap.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

struct Second {
  explicit Second(const Model& model) : ws(model), x(model), dense(model.nv) {}
  void evaluate(const Model& model, const State& s) {
    rnea_second_derivatives(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), x);
    x.dense({dense.qq.data(), dense.qv.data(), dense.vv.data(), dense.Mq.data()});
  }
  SecondWorkspace<double> ws;
  SecondDerivatives<double> x;
  Tensors dense;
};

/// The entries one by one.
Tensors read(const SecondDerivatives<double>& x) {
  const int n = x.index().nv();
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
  Second second(model);
  second.evaluate(model, s);
  const Tensors x = read(second.x), r = complex_steps(model, s);
  CHECK(norm_error(x.vv, r.vv) < 1e-12);
  CHECK(norm_error(x.Mq, r.Mq) < 1e-12);
  CHECK(norm_error(x.qv, r.qv) < 1e-12);
  CHECK(norm_error(x.qq, r.qq) < 1e-12);
  CHECK(second.dense.qq == x.qq);
  CHECK(second.dense.qv == x.qv);
  CHECK(second.dense.vv == x.vv);
  CHECK(second.dense.Mq == x.Mq);
}

}  // namespace

TEST_CASE("second derivatives: each joint type alone and on trees of its own kind, fixed and floating") {
  on_each_kind({1, 2, 3}, 0, {1, 1}, check);
}

TEST_CASE("second derivatives: random trees of all joint types with wrenches") { on_mixed_trees(4, 7, 500, {1, 1}, check); }

TEST_CASE("second derivatives and their dense view do not allocate") {
  const Model model = random_tree(6, 1, {true, true, 0.4, every_joint_kind()});
  std::mt19937 rng(1);
  const State s = random_state(model, rng);
  Second second(model);
  CHECK(allocations_of([&] { second.evaluate(model, s); }) == 0);
}
