// No derivative touches the heap once its workspace stands.
#include "support/heap.hpp"

#include <catch2/catch.hpp>

#include "reference/reference_derivatives.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "support.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

TEST_CASE("the derivatives do not allocate") {
  const Model model = random_tree(10, 1, {true, true, 0.4, every_joint_kind()});
  std::mt19937 rng(1);
  const State s = random_state(model, rng);
  MomentWorkspace<double> moments(model);
  AbaDerivativeWorkspace<double> ws(model);
  Workspace<double> dynamics(model);
  ReferenceDerivatives inverse(model, Dynamics::inverse), forward(model, Dynamics::forward);
  RneaMatrices<double> x(model);
  const DynamicsDerivatives out{x.tau.data(), x.dq.data(), x.dv.data(), x.M.data()};
  std::vector<double> J[4] = {x.dq, x.dq, x.dq, x.dq};
  const double *q = s.q.data(), *v = s.v.data();
  CHECK(allocations_of([&] {
          rnea_derivatives(model, moments, q, v, s.a.data(), s.fx.data(), x.out());
          for (AbaDerivativeMethod method : {AbaDerivativeMethod::inertia, AbaDerivativeMethod::articulated})
            aba_derivatives(model, ws, q, v, s.tau.data(), s.fx.data(), {out.y, out.dy_dq, out.dy_dv, out.dy_dx}, method);
          forward_kinematics(model, dynamics, q, v, s.a.data());
          link_derivatives(model, dynamics, static_cast<int>(model.links.size()) - 1,
                           {J[0].data(), J[1].data(), J[2].data(), J[3].data()});
          for (ReferenceMethod method : {ReferenceMethod::forward_differences, ReferenceMethod::central_differences,
                                         ReferenceMethod::complex_step, ReferenceMethod::dual_numbers}) {
            inverse.evaluate(method, q, v, s.a.data(), s.fx.data(), 1e-6, out);
            forward.evaluate(method, q, v, s.tau.data(), s.fx.data(), 1e-6, out);
          }
        }) == 0);
}
