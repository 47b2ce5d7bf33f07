// sd.rnea_derivatives, sd.aba_derivatives and their second derivatives.
#include "algorithm.hpp"

namespace sparsedyn::python {
namespace {

using Inputs = std::vector<std::pair<const char*, Input>>;
using H = nb::handle;

const Inputs inverse_inputs{{"q", Input::q}, {"dq", Input::dq}, {"ddq", Input::ddq}};
const Inputs forward_inputs{{"q", Input::q}, {"dq", Input::dq}, {"tau", Input::tau}};
const std::vector<Axis> vector{Axis::nv}, matrix{Axis::nv, Axis::nv}, tensor{Axis::nv, Axis::nv, Axis::nv};

Inputs with_multipliers(Inputs inputs) {
  inputs.emplace_back("contract", Input::lambda);
  return inputs;
}

/// a and its three derivatives, of which the second derivatives are made.
AbaDerivatives<double> first_of(Works& works) {
  const std::size_t n = static_cast<std::size_t>(works.model.nv);
  double* a = works.first_derivatives();
  return {a, a + n, a + n + n * n, a + n + 2 * n * n};
}

const Algorithm rnea_first{inverse_inputs,
                           {{"tau", vector}, {"dtau_dq", matrix}, {"dtau_dv", matrix}, {"M", matrix}},
                           [](Works& works, const State& s, double* const* out) {
                             rnea_derivatives(works.model, works.moments(), s.q, s.dq, s.ddq, s.fx,
                                              RneaDerivatives<double>{out[0], out[1], out[2], out[3]});
                             return -1;
                           },
                           "RneaDerivatives"};

const Algorithm aba_first{forward_inputs,
                          {{"ddq", vector}, {"dddq_dq", matrix}, {"dddq_dv", matrix}, {"dddq_dtau", matrix}},
                          [](Works& works, const State& s, double* const* out) {
                            return aba_derivatives(works.model, works.aba_derivatives(), s.q, s.dq, s.tau, s.fx,
                                                   AbaDerivatives<double>{out[0], out[1], out[2], out[3]})
                                .singular;
                          },
                          "AbaDerivatives"};

const Algorithm rnea_second{inverse_inputs,
                            {{"d2tau_dqdq", tensor}, {"d2tau_dqdv", tensor}, {"d2tau_dvdv", tensor}, {"dM_dq", tensor}},
                            [](Works& works, const State& s, double* const* out) {
                              rnea_second_derivatives(works.model, works.second(), s.q, s.dq, s.ddq, s.fx,
                                                      works.second_values());
                              works.second_values().dense({out[0], out[1], out[2], out[3]});
                              return -1;
                            },
                            "RneaSecondDerivatives"};

const Algorithm rnea_second_contracted{
    with_multipliers(inverse_inputs),
    {{"d2tau_dqdq", matrix}, {"d2tau_dqdv", matrix}, {"d2tau_dvdv", matrix}, {"dM_dq", matrix}},
    [](Works& works, const State& s, double* const* out) {
      rnea_contraction(works.model, works.contraction(), s.q, s.dq, s.ddq, s.fx, s.lambda, {out[0], out[1], out[2], out[3]});
      return -1;
    },
    "RneaSecondDerivatives"};

const Algorithm aba_second{forward_inputs,
                           {{"d2ddq_dqdq", tensor}, {"d2ddq_dqdv", tensor}, {"d2ddq_dvdv", tensor}, {"d2ddq_dqdtau", tensor}},
                           [](Works& works, const State& s, double* const* out) {
                             return aba_second_derivatives(works.model, works.aba_second(), s.q, s.dq, s.tau, s.fx,
                                                           first_of(works), {out[0], out[1], out[2], out[3]})
                                 .singular;
                           },
                           "AbaSecondDerivatives"};

const Algorithm aba_second_contracted{
    with_multipliers(forward_inputs),
    {{"d2ddq_dqdq", matrix}, {"d2ddq_dqdv", matrix}, {"d2ddq_dvdv", matrix}, {"d2ddq_dqdtau", matrix}},
    [](Works& works, const State& s, double* const* out) {
      return aba_contraction(works.model, works.aba_contraction(), s.q, s.dq, s.tau, s.fx, s.lambda, first_of(works),
                             {out[0], out[1], out[2], out[3]})
          .singular;
    },
    "AbaSecondDerivatives"};

template <const Algorithm& algorithm>
nb::object first(const RobotModel& r, H q, H dq, H x, H fx, H out, int threads, H on_error) {
  const H in[] = {q, dq, x};
  return call(algorithm, r, {in, fx, out, -1, threads, on_error});
}

template <const Algorithm& whole, const Algorithm& contracted>
nb::object second(const RobotModel& r, H q, H dq, H x, H fx, H contract, H out, int threads, H on_error) {
  const H in[] = {q, dq, x, contract};
  return call(contract.is_none() ? whole : contracted, r, {in, fx, out, -1, threads, on_error});
}

template <class Function>
void define_first(nb::module_& m, const char* name, Function function, const char* x, const char* signature, const char* doc) {
  m.def(name, function, nb::arg("robot"), nb::arg("q"), nb::arg("dq"), nb::arg(x), nb::arg("fx") = nb::none(), nb::kw_only(),
        nb::arg("out") = nb::none(), nb::arg("threads") = 1, nb::arg("on_error") = "raise", nb::sig(signature), doc);
}
template <class Function>
void define_second(nb::module_& m, const char* name, Function function, const char* x, const char* signature, const char* doc) {
  m.def(name, function, nb::arg("robot"), nb::arg("q"), nb::arg("dq"), nb::arg(x), nb::arg("fx") = nb::none(),
        nb::arg("contract") = nb::none(), nb::kw_only(), nb::arg("out") = nb::none(), nb::arg("threads") = 1,
        nb::arg("on_error") = "raise", nb::sig(signature), doc);
}

#define SPARSEDYN_REST \
  ", *, out: tuple[NDArray[numpy.float64], ...] | None = None, threads: int = 1, on_error: str = 'raise') -> Any"

}  // namespace

void bind_derivatives(nb::module_& m) {
  define_first(m, "rnea_derivatives", &first<rnea_first>, "ddq",
               "def rnea_derivatives(robot: Model, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, fx: Mapping[str, ArrayLike] | "
               "None = None" SPARSEDYN_REST,
               R"(Inverse dynamics and its analytic first derivatives: the named tuple (tau, dtau_dq, dtau_dv, M).

q (..., nq), dq and ddq (..., nv) -> tau (..., nv), matrices (..., nv, nv), rows by torque. Derivatives by q are on the tangent
space, perturbed on the right: integrate(q, δ). fx as in rnea, constant in the links' frames. Cost: 500 flops a body, 200
for each pair of joints on a branch. out, threads and on_error as in rnea; out is a tuple of four arrays.)");
  define_first(m, "aba_derivatives", &first<aba_first>, "tau",
               "def aba_derivatives(robot: Model, q: ArrayLike, dq: ArrayLike, tau: ArrayLike, fx: Mapping[str, ArrayLike] | "
               "None = None" SPARSEDYN_REST,
               R"(Forward dynamics and its analytic first derivatives: the named tuple (ddq, dddq_dq, dddq_dv, dddq_dtau).

q (..., nq), dq and tau (..., nv) -> ddq (..., nv), matrices (..., nv, nv); dddq_dtau is M⁻¹. Derivatives by q as in
rnea_derivatives. Cost: that, and O(n² · depth).)");
  define_second(m, "rnea_second_derivatives", &second<rnea_second, rnea_second_contracted>, "ddq",
                "def rnea_second_derivatives(robot: Model, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, fx: Mapping[str, "
                "ArrayLike] | None = None, contract: ArrayLike | None = None" SPARSEDYN_REST,
                R"(Second derivatives of inverse dynamics: the named tuple (d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, dM_dq).

Tensors (..., nv, nv, nv): entry [a, b, c] is the derivative by c of ∂tau_a/∂q_b (of M_ab in dM_dq), on the tangent space, b
first. With contract=λ (..., nv) matrices (..., nv, nv), Σ_a λ_a [a, b, c], without ever making the tensors: the Hessian of
a Lagrangian. Cost: 500 operations a pair and 100 a triple of freedoms on a branch; contracted, that of first derivatives.)");
  define_second(m, "aba_second_derivatives", &second<aba_second, aba_second_contracted>, "tau",
                "def aba_second_derivatives(robot: Model, q: ArrayLike, dq: ArrayLike, tau: ArrayLike, fx: Mapping[str, "
                "ArrayLike] | None = None, contract: ArrayLike | None = None" SPARSEDYN_REST,
                R"(Second derivatives of forward dynamics: (d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau).

As rnea_second_derivatives: tensors (..., nv, nv, nv), or with contract=λ (..., nv) matrices. Cost: O(n⁴); contracted O(n³).)");
}

}  // namespace sparsedyn::python
