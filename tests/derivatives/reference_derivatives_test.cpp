// The four reference methods against the analytic derivatives, each to the accuracy it can have.
#include "reference/reference_derivatives.hpp"

#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/derivatives.hpp"
#include "support.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

struct Results {
  std::vector<double> y, dq, dv, dx;
  explicit Results(const Model& m) : y(m.nv), dq(m.nv * m.nv), dv(dq), dx(dq) {}
  DynamicsDerivatives out() { return {y.data(), dq.data(), dv.data(), dx.data()}; }
};

Results analytic(const Model& model, Dynamics dynamics, const State& s) {
  Results r(model);
  if (dynamics == Dynamics::inverse) {
    MomentWorkspace<double> ws(model);
    rnea_derivatives(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(),
                     {r.y.data(), r.dq.data(), r.dv.data(), r.dx.data()});
  } else {
    AbaDerivativeWorkspace<double> ws(model);
    aba_derivatives(model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(),
                    {r.y.data(), r.dq.data(), r.dv.data(), r.dx.data()});
  }
  return r;
}

double worst(const Results& x, const Results& r) {
  return std::max({norm_error(x.y, r.y), norm_error(x.dq, r.dq), norm_error(x.dv, r.dv), norm_error(x.dx, r.dx)});
}

}  // namespace

TEST_CASE("forward and central differences, complex step and dual numbers agree with the analytic derivatives") {
  struct Case {
    ReferenceMethod method;
    double step, tolerance;
  };
  const Case cases[] = {{ReferenceMethod::forward_differences, 1e-7, 1e-4},
                        {ReferenceMethod::central_differences, 1e-5, 1e-6},
                        {ReferenceMethod::complex_step, 1e-30, 1e-11},
                        {ReferenceMethod::dual_numbers, 0, 1e-11}};
  for (Dynamics dynamics : {Dynamics::inverse, Dynamics::forward})
    for (bool floating : {false, true})
      for (unsigned seed = 0; seed < 4; ++seed) {
        const Model model = random_tree(6, 400 + seed, {floating, true, 0.4, every_joint_kind()});
        std::mt19937 rng(seed);
        const State s = random_state(model, rng);
        const Results r = analytic(model, dynamics, s);
        ReferenceDerivatives reference(model, dynamics);
        for (const Case& c : cases) {
          INFO("method " << static_cast<int>(c.method) << " forward " << (dynamics == Dynamics::forward) << " seed " << seed);
          Results x(model);
          reference.evaluate(c.method, s.q.data(), s.v.data(), dynamics == Dynamics::inverse ? s.a.data() : s.tau.data(),
                             s.fx.data(), c.step, x.out());
          CHECK(worst(x, r) < c.tolerance);
        }
      }
}

TEST_CASE(
    "derivatives without wrenches agree with the references, those of inverse dynamics to 1e-12 by complex step and dual "
    "numbers") {
  const Model model = random_tree(10, 5, {true, true, 0.4, every_joint_kind()});
  std::mt19937 rng(5);
  const State s = random_state(model, rng);
  Results r(model), x(model);
  MomentWorkspace<double> ws(model);
  rnea_derivatives<double>(model, ws, s.q.data(), s.v.data(), s.a.data(), nullptr,
                           {r.y.data(), r.dq.data(), r.dv.data(), r.dx.data()});
  ReferenceDerivatives reference(model, Dynamics::inverse);
  for (ReferenceMethod method : {ReferenceMethod::complex_step, ReferenceMethod::dual_numbers}) {
    reference.evaluate(method, s.q.data(), s.v.data(), s.a.data(), nullptr, 1e-30, x.out());
    CHECK(worst(x, r) < 1e-12);
  }
}
