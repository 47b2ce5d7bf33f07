// λᵀ∂²τ against the sums over complex steps of the first derivatives.
#include "sparsedyn/recursive/rnea_contraction.hpp"

#include <catch2/catch.hpp>

#include "second_derivative_support.hpp"
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

TEST_CASE("contraction: random trees of all joint types with wrenches") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 4; ++seed) {
      INFO("floating " << floating << " seed " << seed);
      const Model model = random_tree(7, 600 + seed, {floating, true, 0.4, every_joint_kind()});
      std::mt19937 rng(seed);
      check(model, random_state(model, rng));
      for (const State& s : special_states(model, rng, 1)) check(model, s);
    }
}
