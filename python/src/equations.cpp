// sd.hamilton, sd.christoffel, sd.regressor: the equations of motion in other forms.
#include "algorithm.hpp"

namespace sparsedyn::python {

void bind_equations(nb::module_& m) {
  define(m, of_catalogue("hamilton", "Hamilton"),
         R"(Hamilton's equations: the named tuple (p, dp, energy), p = M dq, dp = Cᵀ dq + tau − bias(q, 0) + Σ Jᵀ fx.

q (..., nq), dq and tau (..., nv) -> p and its rate dp (..., nv), energy (...,): kinetic and potential, J. fx as in rnea. No
acceleration is needed. out (a tuple of three arrays), threads and on_error as in rnea. Cost: O(n · depth + nv²).)");
  define(
      m, of_catalogue("christoffel"),
      R"(Christoffel symbols of the first kind, Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i): q (..., nq) -> (..., nv, nv, nv).

coriolis = Γ @ dq. For a fixed base and joints of one freedom; ValueError for others. out, threads and on_error as in rnea.
Cost: that of rnea_second_derivatives.)");
  define(m, of_catalogue("regressor"),
         R"(Y with rnea = Y @ robot.parameters(): (..., nv, parameters), columns as robot.parameter_names.

q (..., nq), dq and ddq (..., nv). out, threads and on_error as in rnea. Cost: 100 flops a body and freedom that moves it.)");
}

}  // namespace sparsedyn::python
