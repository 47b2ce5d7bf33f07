// sd.hamilton, sd.christoffel, sd.regressor and its products: the equations of motion in other forms.
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
  define(m, of_catalogue("regressor-times"),
         R"(regressor @ parameters without forming the regressor: the torques of bodies that have these parameters, (..., nv).

q (..., nq), dq and ddq (..., nv), parameters (..., parameters) as robot.parameters(). out, threads and on_error as in rnea.
Cost: O(n).)");
  define(m, of_catalogue("regressor-transposed-times"),
         R"(The regressor's transpose times multipliers, without forming the regressor: (..., parameters).

q (..., nq), dq, ddq and multipliers (..., nv). out, threads and on_error as in rnea. Cost: O(n).)");
  define(m, of_catalogue("rnea-with-derivatives", "RneaWithDerivatives"),
         R"(Inverse dynamics and its derivatives: (tau, M, dtau_dq, dtau_dv, d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, dM_dq).

As rnea_derivatives and rnea_second_derivatives, in one call. out (a tuple of eight arrays), threads and on_error as in rnea.
Cost: O(n · depth²).)");
  define(m, of_catalogue("jacobians"),
         R"(Jacobians of all links, each in its own frame, angular rows first: q (..., nq) -> (..., links, 6, nv).

velocities(q, dq) = J @ dq. out, threads and on_error as in rnea. Cost: O(links · nv).)");
  define(m, of_catalogue("jacobian-rates"),
         R"(Rates of jacobians along dq: q (..., nq), dq (..., nv) -> (..., links, 6, nv).

out, threads and on_error as in rnea. Cost: O(links · nv).)");
}

}  // namespace sparsedyn::python
