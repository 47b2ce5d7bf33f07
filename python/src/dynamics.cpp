// sd.rnea, sd.aba, sd.crba, sd.minverse, sd.bias, sd.gravity.
#include "algorithm.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn::python {
namespace {

const Algorithm rnea_of{{{"q", Input::q}, {"dq", Input::dq}, {"ddq", Input::ddq}},
                        {{"tau", {Axis::nv}}},
                        [](Works& works, const State& s, double* const* out) {
                          rnea(works.model, works.basic, s.q, s.dq, s.ddq, s.fx, out[0]);
                          return -1;
                        },
                        nullptr,
                        PackedAlgorithm::rnea};

const Algorithm aba_of{{{"q", Input::q}, {"dq", Input::dq}, {"tau", Input::tau}},
                       {{"ddq", {Axis::nv}}},
                       [](Works& works, const State& s, double* const* out) {
                         return aba(works.model, works.basic, s.q, s.dq, s.tau, s.fx, out[0]).singular;
                       },
                       nullptr,
                       PackedAlgorithm::aba};

const Algorithm crba_of{{{"q", Input::q}},
                        {{"M", {Axis::nv, Axis::nv}}},
                        [](Works& works, const State& s, double* const* out) {
                          crba(works.model, works.basic, s.q, out[0]);
                          return -1;
                        },
                        nullptr,
                        PackedAlgorithm::crba};

const Algorithm minverse_of{
    {{"q", Input::q}}, {{"Minv", {Axis::nv, Axis::nv}}}, [](Works& works, const State& s, double* const* out) {
      return minverse(works.model, works.basic, s.q, out[0]).singular;
    }};

const Algorithm bias_of{{{"q", Input::q}, {"dq", Input::dq}},
                        {{"tau", {Axis::nv}}},
                        [](Works& works, const State& s, double* const* out) {
                          bias_forces(works.model, works.basic, s.q, s.dq, s.fx, out[0]);
                          return -1;
                        },
                        nullptr,
                        PackedAlgorithm::bias};

const Algorithm gravity_of{{{"q", Input::q}},
                           {{"tau", {Axis::nv}}},
                           [](Works& works, const State& s, double* const* out) {
                             gravity_torques(works.model, works.basic, s.q, out[0]);
                             return -1;
                           },
                           nullptr,
                           PackedAlgorithm::gravity};

const Algorithm coriolis_of{
    {{"q", Input::q}, {"dq", Input::dq}}, {{"C", {Axis::nv, Axis::nv}}}, [](Works& works, const State& s, double* const* out) {
      coriolis(works.model, works.coriolis(), s.q, s.dq, CoriolisMatrices<double>{out[0], works.first_derivatives()});
      return -1;
    }};

using H = nb::handle;

#define SPARSEDYN_TAIL                                                                                                      \
  "out: float64 array(s) of the result's shape, written in place. threads: 0 for all cores; the numbers are the same for\n" \
  "any number. A sample that fails raises SolveError (`.rows`, `.messages`); with on_error='nan' it is NaN, and the\n"      \
  "named tuple (value, failed) is returned."
#define SPARSEDYN_REST ", *, out: NDArray[numpy.float64] | None = None, threads: int = 1, on_error: str = 'raise') -> Any"

}  // namespace

void bind_dynamics(nb::module_& m) {
  const auto none = [] { return nb::none(); };
  m.def(
      "rnea",
      [](const RobotModel& r, H q, H dq, H ddq, H fx, H out, int threads, H on_error) {
        const H in[] = {q, dq, ddq};
        return call(rnea_of, r, {in, fx, out, -1, threads, on_error});
      },
      nb::arg("robot"), nb::arg("q"), nb::arg("dq"), nb::arg("ddq"), nb::arg("fx") = none(), nb::kw_only(),
      nb::arg("out") = none(), nb::arg("threads") = 1, nb::arg("on_error") = "raise",
      nb::sig("def rnea(robot: Model, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, fx: Mapping[str, ArrayLike] | None = "
              "None" SPARSEDYN_REST),
      R"(Inverse dynamics: tau = M(q) ddq + bias(q, dq) − Σ Jᵀ fx, by the recursive Newton–Euler algorithm.

q (..., nq), dq and ddq (..., nv) -> tau (..., nv); rad, m, N·m, N. fx: {link: (..., 6)}, the wrench of the world on the link
in the link's frame about its origin, moment first. Cost: O(n); Panda: a third of a microsecond.

)" SPARSEDYN_TAIL);
  m.def(
      "aba",
      [](const RobotModel& r, H q, H dq, H tau, H fx, H out, int threads, H on_error) {
        const H in[] = {q, dq, tau};
        return call(aba_of, r, {in, fx, out, -1, threads, on_error});
      },
      nb::arg("robot"), nb::arg("q"), nb::arg("dq"), nb::arg("tau"), nb::arg("fx") = none(), nb::kw_only(),
      nb::arg("out") = none(), nb::arg("threads") = 1, nb::arg("on_error") = "raise",
      nb::sig("def aba(robot: Model, q: ArrayLike, dq: ArrayLike, tau: ArrayLike, fx: Mapping[str, ArrayLike] | None = "
              "None" SPARSEDYN_REST),
      R"(Forward dynamics: ddq = M(q)⁻¹ (tau − bias(q, dq) + Σ Jᵀ fx), by the articulated-body algorithm.

q (..., nq), dq and tau (..., nv) -> ddq (..., nv). fx as in rnea. A state at which a joint moves no inertia fails. Cost: O(n).

)" SPARSEDYN_TAIL);
  m.def(
      "crba",
      [](const RobotModel& r, H q, H out, int threads, H on_error) {
        return call(crba_of, r, {&q, nb::none(), out, -1, threads, on_error});
      },
      nb::arg("robot"), nb::arg("q"), nb::kw_only(), nb::arg("out") = none(), nb::arg("threads") = 1,
      nb::arg("on_error") = "raise", nb::sig("def crba(robot: Model, q: ArrayLike" SPARSEDYN_REST),
      R"(The joint-space inertia matrix M(q), symmetric, all entries: q (..., nq) -> (..., nv, nv). Cost: O(n · depth).

)" SPARSEDYN_TAIL);
  m.def(
      "minverse",
      [](const RobotModel& r, H q, H out, int threads, H on_error) {
        return call(minverse_of, r, {&q, nb::none(), out, -1, threads, on_error});
      },
      nb::arg("robot"), nb::arg("q"), nb::kw_only(), nb::arg("out") = none(), nb::arg("threads") = 1,
      nb::arg("on_error") = "raise", nb::sig("def minverse(robot: Model, q: ArrayLike" SPARSEDYN_REST),
      R"(The inverse of M(q), symmetric, all entries: q (..., nq) -> (..., nv, nv). Cost: O(n² · depth).

)" SPARSEDYN_TAIL);
  m.def(
      "bias",
      [](const RobotModel& r, H q, H dq, H out, int threads, H on_error) {
        const H in[] = {q, dq};
        return call(bias_of, r, {in, nb::none(), out, -1, threads, on_error});
      },
      nb::arg("robot"), nb::arg("q"), nb::arg("dq"), nb::kw_only(), nb::arg("out") = none(), nb::arg("threads") = 1,
      nb::arg("on_error") = "raise", nb::sig("def bias(robot: Model, q: ArrayLike, dq: ArrayLike" SPARSEDYN_REST),
      R"(Coriolis, centrifugal and gravity torques: tau at ddq = 0. q (..., nq), dq (..., nv) -> (..., nv). Cost: O(n).

)" SPARSEDYN_TAIL);
  m.def(
      "gravity",
      [](const RobotModel& r, H q, H out, int threads, H on_error) {
        return call(gravity_of, r, {&q, nb::none(), out, -1, threads, on_error});
      },
      nb::arg("robot"), nb::arg("q"), nb::kw_only(), nb::arg("out") = none(), nb::arg("threads") = 1,
      nb::arg("on_error") = "raise", nb::sig("def gravity(robot: Model, q: ArrayLike" SPARSEDYN_REST),
      R"(The torques that hold the robot still: tau at dq = ddq = 0. q (..., nq) -> (..., nv). Cost: O(n).

)" SPARSEDYN_TAIL);
  m.def(
      "coriolis",
      [](const RobotModel& r, H q, H dq, H out, int threads, H on_error) {
        const H in[] = {q, dq};
        return call(coriolis_of, r, {in, nb::none(), out, -1, threads, on_error});
      },
      nb::arg("robot"), nb::arg("q"), nb::arg("dq"), nb::kw_only(), nb::arg("out") = none(), nb::arg("threads") = 1,
      nb::arg("on_error") = "raise", nb::sig("def coriolis(robot: Model, q: ArrayLike, dq: ArrayLike" SPARSEDYN_REST),
      R"(The Coriolis matrix C(q, dq) with C dq = bias(q, dq) − bias(q, 0) and dM/dt = C + Cᵀ, as Pinocchio's.

q (..., nq), dq (..., nv) -> (..., nv, nv). Cost: 350 flops a body, 120 for each pair of joints on a branch.

)" SPARSEDYN_TAIL);
}

}  // namespace sparsedyn::python
