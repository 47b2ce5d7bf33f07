// sd.rnea_derivatives, sd.aba_derivatives and their second derivatives.
#include "algorithm.hpp"

namespace sparsedyn::python {
namespace {

using H = nb::handle;

const Algorithm rnea_second = of_catalogue("rnea-second-derivatives", "RneaSecondDerivatives");
const Algorithm rnea_second_contracted = contraction_of("rnea-second-derivatives", "RneaSecondDerivatives");
const Algorithm aba_second = of_catalogue("aba-second-derivatives", "AbaSecondDerivatives");
const Algorithm aba_second_contracted = contraction_of("aba-second-derivatives", "AbaSecondDerivatives");

template <const Algorithm& whole, const Algorithm& contracted>
nb::object second(const RobotModel& r, H q, H dq, H x, H fx, H contract, H out, int threads, H on_error) {
  const H in[] = {q, dq, x, contract};
  return call(contract.is_none() ? whole : contracted, r, {in, fx, out, -1, threads, on_error});
}

template <class Function>
void define_second(nb::module_& m, const char* name, Function function, const char* x, const char* signature, const char* doc) {
  m.def(name, function, nb::arg("robot"), nb::arg("q"), nb::arg("dq"), nb::arg(x), nb::arg("fx") = nb::none(),
        nb::arg("contract") = nb::none(), nb::kw_only(), nb::arg("out") = nb::none(), nb::arg("threads") = 1,
        nb::arg("on_error") = "raise", nb::sig(signature), doc);
}

#define SPARSEDYN_REST_OF_DERIVATIVES                                                                                  \
  ", *, out: tuple[NDArray[numpy.float64], ...] | None = None, threads: int = 1, on_error: Literal['raise', 'nan'] = " \
  "'raise') -> "

}  // namespace

void bind_derivatives(nb::module_& m) {
  define(m, of_catalogue("rnea-derivatives", "RneaDerivatives"),
         R"(Inverse dynamics and its analytic first derivatives: the named tuple (tau, dtau_dq, dtau_dv, M).

q (..., nq), dq and ddq (..., nv) -> tau (..., nv), matrices (..., nv, nv), rows by torque. Derivatives by q are on the tangent
space, perturbed on the right: integrate(q, δ). fx as in rnea, constant in the links' frames. Cost: 500 flops a body, 200
for each pair of joints on a branch. out, threads and on_error as in rnea; out is a tuple of four arrays.)");
  define(m, of_catalogue("aba-derivatives", "AbaDerivatives"),
         R"(Forward dynamics and its analytic first derivatives: the named tuple (ddq, dddq_dq, dddq_dv, dddq_dtau).

q (..., nq), dq and tau (..., nv) -> ddq (..., nv), matrices (..., nv, nv); dddq_dtau is M⁻¹. Derivatives by q as in
rnea_derivatives. Cost: that, and O(n² · depth).)");
  define_second(m, "rnea_second_derivatives", &second<rnea_second, rnea_second_contracted>, "ddq",
                "def rnea_second_derivatives(robot: Model, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, fx: Mapping[str, "
                "ArrayLike] | None = None, contract: ArrayLike | None = None" SPARSEDYN_REST_OF_DERIVATIVES
                "RneaSecondDerivatives",
                R"(Second derivatives of inverse dynamics: the named tuple (d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, dM_dq).

Tensors (..., nv, nv, nv): entry [a, b, c] is the derivative by c of ∂tau_a/∂q_b (of M_ab in dM_dq), on the tangent space, b
first. With contract=λ (..., nv) matrices (..., nv, nv), Σ_a λ_a [a, b, c], without ever making the tensors: the Hessian of
a Lagrangian. Cost: 500 operations a pair and 100 a triple of freedoms on a branch; contracted, that of first derivatives.)");
  define_second(m, "aba_second_derivatives", &second<aba_second, aba_second_contracted>, "tau",
                "def aba_second_derivatives(robot: Model, q: ArrayLike, dq: ArrayLike, tau: ArrayLike, fx: Mapping[str, "
                "ArrayLike] | None = None, contract: ArrayLike | None = None" SPARSEDYN_REST_OF_DERIVATIVES
                "AbaSecondDerivatives",
                R"(Second derivatives of forward dynamics: (d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau).

As rnea_second_derivatives: tensors (..., nv, nv, nv), or with contract=λ (..., nv) matrices. Cost: O(n⁴); contracted O(n³).)");
}

}  // namespace sparsedyn::python
