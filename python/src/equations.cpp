// sd.hamilton, sd.christoffel, sd.regressor: the equations of motion in other forms.
#include "algorithm.hpp"
#include "sparsedyn/dynamics/momentum.hpp"

namespace sparsedyn::python {
namespace {

using H = nb::handle;

const Algorithm hamilton_of{{{"q", Input::q}, {"dq", Input::dq}, {"tau", Input::tau}},
                            {{"p", {Axis::nv}}, {"dp", {Axis::nv}}, {"energy", {}}},
                            [](Works& works, const State& s, double* const* out) {
                              hamilton(works.model, works.coriolis(), s.q, s.dq, s.tau, s.fx, out[0], out[1]);
                              forward_kinematics(works.model, works.basic, s.q, s.dq, static_cast<const double*>(nullptr));
                              *out[2] = kinetic_energy(works.model, works.basic, s.dq) +
                                        potential_energy(works.model, works.basic, s.q);
                              return -1;
                            },
                            "Hamilton"};

/// Γ_ijk = ½ ∂²τ_i/∂v_j∂v_k, at any v.
const Algorithm christoffel_of{
    {{"q", Input::q}}, {{"Gamma", {Axis::nv, Axis::nv, Axis::nv}}}, [](Works& works, const State& s, double* const* out) {
      const int n = works.model.nv;
      double* const rest = works.first_derivatives();
      std::fill_n(rest, n, 0.0);
      SecondDerivatives<double>& second = works.second_values();
      rnea_second_derivatives(works.model, works.second(), s.q, rest, rest, static_cast<const Force<double>*>(nullptr), second);
      std::fill_n(out[0], n * n * n, 0.0);
      for_each_triple(works.model, second.index(),
                      [&](int i, int j, int k) { out[0][(i * n + j) * n + k] = 0.5 * second.vv(i, j, k); });
      return -1;
    }};

const Algorithm regressor_of{{{"q", Input::q}, {"dq", Input::dq}, {"ddq", Input::ddq}},
                             {{"Y", {Axis::nv, Axis::parameters}}},
                             [](Works& works, const State& s, double* const* out) {
                               regressor(works.model, works.regressor(), s.q, s.dq, s.ddq, out[0]);
                               return -1;
                             }};

/// The symbols are made of derivatives by coordinates, which rates of turns are not.
void require_coordinates(const Model& model) {
  for (const Joint& joint : model.joints)
    for (int body = joint.first_body; body < joint.first_body + joint.bodies; ++body)
      if (freedoms(model.bodies[static_cast<std::size_t>(body)].joint) > 1)
        throw nb::value_error(
            ("christoffel: joint " + joint.name + ": several freedoms in one; expected a fixed base and joints of one freedom")
                .c_str());
}

}  // namespace

void bind_equations(nb::module_& m) {
  m.def(
      "hamilton",
      [](const RobotModel& r, H q, H dq, H tau, H fx, H out, int threads, H on_error) {
        const H in[] = {q, dq, tau};
        return call(hamilton_of, r, {in, fx, out, -1, threads, on_error});
      },
      nb::arg("robot"), nb::arg("q"), nb::arg("dq"), nb::arg("tau"), nb::arg("fx") = nb::none(), nb::kw_only(),
      nb::arg("out") = nb::none(), nb::arg("threads") = 1, nb::arg("on_error") = "raise",
      nb::sig("def hamilton(robot: Model, q: ArrayLike, dq: ArrayLike, tau: ArrayLike, fx: Mapping[str, ArrayLike] | None = "
              "None, *, out: tuple[NDArray[numpy.float64], ...] | None = None, threads: int = 1, on_error: str = 'raise') -> "
              "Any"),
      R"(Hamilton's equations: the named tuple (p, dp, energy), p = M dq, dp = Cᵀ dq + tau − bias(q, 0) + Σ Jᵀ fx.

q (..., nq), dq and tau (..., nv) -> p and its rate dp (..., nv), energy (...,): kinetic and potential, J. fx as in rnea. No
acceleration is needed. out (a tuple of three arrays), threads and on_error as in rnea. Cost: O(n · depth + nv²).)");
  m.def(
      "christoffel",
      [](const RobotModel& r, H q, H out, int threads, H on_error) {
        require_coordinates(r.model());
        return call(christoffel_of, r, {&q, nb::none(), out, -1, threads, on_error});
      },
      nb::arg("robot"), nb::arg("q"), nb::kw_only(), nb::arg("out") = nb::none(), nb::arg("threads") = 1,
      nb::arg("on_error") = "raise",
      nb::sig("def christoffel(robot: Model, q: ArrayLike, *, out: NDArray[numpy.float64] | None = None, threads: int = 1, "
              "on_error: str = 'raise') -> Any"),
      R"(Christoffel symbols of the first kind, Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i): q (..., nq) -> (..., nv, nv, nv).

coriolis = Γ @ dq. For a fixed base and joints of one freedom; ValueError for others. out, threads and on_error as in rnea.
Cost: that of rnea_second_derivatives.)");
  m.def(
      "regressor",
      [](const RobotModel& r, H q, H dq, H ddq, H out, int threads, H on_error) {
        const H in[] = {q, dq, ddq};
        return call(regressor_of, r, {in, nb::none(), out, -1, threads, on_error});
      },
      nb::arg("robot"), nb::arg("q"), nb::arg("dq"), nb::arg("ddq"), nb::kw_only(), nb::arg("out") = nb::none(),
      nb::arg("threads") = 1, nb::arg("on_error") = "raise",
      nb::sig("def regressor(robot: Model, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, *, out: NDArray[numpy.float64] | None "
              "= None, threads: int = 1, on_error: str = 'raise') -> Any"),
      R"(Y with rnea = Y @ robot.parameters(): (..., nv, parameters), columns as robot.parameter_names.

q (..., nq), dq and ddq (..., nv). out, threads and on_error as in rnea. Cost: 100 flops a body and freedom that moves it.)");
}

}  // namespace sparsedyn::python
