// Second derivatives by stepping and by dual numbers, against each other and the analytic ones.
#include "reference/reference_second_derivatives.hpp"

#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "support.hpp"
#include "support/heap.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Method = SecondReferenceMethod;

struct Tensors {
  explicit Tensors(int n) : qq(n * n * n, 7.0), qv(qq), vv(qq), qx(qq) {}
  DynamicsSecondDerivatives out() { return {qq.data(), qv.data(), vv.data(), qx.data()}; }
  std::vector<double> qq, qv, vv, qx;
};

Tensors reference(const Model& model, Dynamics dynamics, const State& s, Method method, double step) {
  Tensors r(model.nv);
  ReferenceSecondDerivatives(model, dynamics)
      .evaluate(method, s.q.data(), s.v.data(), dynamics == Dynamics::inverse ? s.a.data() : s.tau.data(), s.fx.data(), step,
                r.out());
  return r;
}

void check_close(const Tensors& x, const Tensors& r, double tolerance) {
  CHECK(norm_error(x.qq, r.qq) < tolerance);
  CHECK(norm_error(x.qv, r.qv) < tolerance);
  CHECK(norm_error(x.vv, r.vv) < tolerance);
  CHECK(norm_error(x.qx, r.qx) < tolerance);
}

Model small_tree(JointKind kind, bool floating) { return random_tree(2, 21, {floating, true, 0.4, {kind}}); }

}  // namespace

TEST_CASE("second derivatives by every method agree as far as each can") {
  const struct {
    Method method;
    double step, tolerance;
  } methods[] = {{Method::chain_rule, 0, 1e-11},
                 {Method::complex_step, 1e-30, 1e-11},
                 {Method::derivative_differences, 1e-5, 1e-6},
                 {Method::function_differences, 1e-4, 1e-4}};
  for (JointKind kind : {JointKind::revolute, JointKind::helical, JointKind::spherical, JointKind::planar})
    for (bool floating : {false, true})
      for (Dynamics dynamics : {Dynamics::inverse, Dynamics::forward}) {
        INFO("kind " << static_cast<int>(kind) << " floating " << floating << " dynamics " << static_cast<int>(dynamics));
        const Model model = small_tree(kind, floating);
        std::mt19937 rng(1);
        const State s = random_state(model, rng);
        const Tensors r = reference(model, dynamics, s, Method::bicomplex_step, 1e-20);
        for (const auto& m : methods) {
          INFO("method " << static_cast<int>(m.method));
          check_close(reference(model, dynamics, s, m.method, m.step), r, m.tolerance);
        }
      }
}

TEST_CASE("analytic second derivatives of inverse dynamics against bicomplex steps and dual numbers") {
  const Model model = random_tree(5, 22, {true, true, 0.4, every_joint_kind()});
  std::mt19937 rng(2);
  const State s = random_state(model, rng);
  const int n = model.nv;
  SecondWorkspace<double> ws(model);
  SecondDerivatives<double> analytic(model);
  rnea_second_derivatives(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), analytic);
  Tensors x(n);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int c = 0; c < n; ++c) {
        const int abc = (a * n + b) * n + c;
        x.qq[abc] = analytic.qq(a, b, c), x.qv[abc] = analytic.qv(a, b, c), x.vv[abc] = analytic.vv(a, b, c);
        x.qx[abc] = analytic.Mq(a, c, b);
      }
  check_close(x, reference(model, Dynamics::inverse, s, Method::bicomplex_step, 1e-20), 1e-12);
  check_close(x, reference(model, Dynamics::inverse, s, Method::chain_rule, 0), 1e-12);
}

TEST_CASE("the reference second derivatives do not allocate") {
  const Model model = small_tree(JointKind::revolute, false);
  std::mt19937 rng(3);
  const State s = random_state(model, rng);
  Tensors r(model.nv);
  ReferenceSecondDerivatives inverse(model, Dynamics::inverse), forward(model, Dynamics::forward);
  CHECK(allocations_of([&] {
          for (Method method : {Method::bicomplex_step, Method::chain_rule, Method::function_differences, Method::complex_step,
                                Method::derivative_differences}) {
            inverse.evaluate(method, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), 1e-4, r.out());
            forward.evaluate(method, s.q.data(), s.v.data(), s.tau.data(), nullptr, 1e-4, r.out());
          }
        }) == 0);
}
