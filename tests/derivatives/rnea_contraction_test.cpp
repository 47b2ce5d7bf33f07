// λᵀ∂²τ against the sums over complex steps of the first derivatives.
#include <catch2/catch.hpp>

#include "second_derivative_support.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "support/heap.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

struct Matrices {
  explicit Matrices(int n) : qq(n * n, 7.0), qv(qq), vv(qq), Mq(qq) {}
  Contraction<double> out() { return {qq.data(), qv.data(), vv.data(), Mq.data()}; }
  std::vector<double> qq, qv, vv, Mq;
};

void check(const Model& model, const State& s) {
  ContractionWorkspace<double> ws(model);
  Matrices x(model.nv);
  const std::vector<double>& lambda = s.tau;
  CHECK(allocations_of([&] {
          rnea_contraction(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), lambda.data(), x.out());
        }) == 0);
  const Tensors r = complex_steps(model, s);
  CHECK(norm_error(x.vv, contracted(r.vv, lambda)) < 1e-12);
  CHECK(norm_error(x.Mq, contracted(r.Mq, lambda)) < 1e-12);
  CHECK(norm_error(x.qv, contracted(r.qv, lambda)) < 1e-12);
  CHECK(norm_error(x.qq, contracted(r.qq, lambda)) < 1e-12);
}

}  // namespace

TEST_CASE("contraction: each joint type alone and on trees of its own kind, fixed and floating") {
  on_each_kind({1, 2, 3}, 0, {1, 1}, check);
}

TEST_CASE("contraction: random trees of all joint types with wrenches") { on_mixed_trees(4, 7, 600, {1, 1}, check); }
