// sd.pose, sd.jacobian, sd.velocity, sd.acceleration, sd.centre_of_mass, sd.momentum, sd.energy.
#include "sparsedyn/dynamics/kinematics.hpp"

#include "algorithm.hpp"
#include "sparsedyn/dynamics/momentum.hpp"

namespace sparsedyn::python {
namespace {

using H = nb::handle;

double* put(const Vec3<double>& x, double* out) {
  for (int k = 0; k < 3; ++k) *out++ = x[k];
  return out;
}

/// One pass of forward kinematics, then what `write` reads off it.
template <class Write>
[[gnu::flatten]] int after_kinematics(Works& works, const State& s, Write&& write) {
  forward_kinematics(works.model, works.basic, s.q, s.dq, s.ddq);
  write(works.model, works.basic);
  return -1;
}

const Algorithm pose_of{{{"q", Input::q}}, {{"pose", {Axis::seven}}}, [](Works& works, const State& s, double* const* out) {
                          return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
                            const Pose<double> pose = link_pose(model, ws, s.link);
                            double* next = put(pose.d, out[0]);
                            for (double u : quaternion_from_rotation(pose.R)) *next++ = u;
                          });
                        }};

const Algorithm jacobian_of{
    {{"q", Input::q}}, {{"J", {Axis::six, Axis::nv}}}, [](Works& works, const State& s, double* const* out) {
      return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
        link_jacobian(model, ws, s.link, Axes::link, out[0]);
      });
    }};

const Algorithm velocity_of{
    {{"q", Input::q}, {"dq", Input::dq}}, {{"velocity", {Axis::six}}}, [](Works& works, const State& s, double* const* out) {
      return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
        const Motion<double> v = link_velocity(model, ws, s.link);
        put(v.v, put(v.w, out[0]));
      });
    }};

const Algorithm acceleration_of{{{"q", Input::q}, {"dq", Input::dq}, {"ddq", Input::ddq}},
                                {{"acceleration", {Axis::six}}},
                                [](Works& works, const State& s, double* const* out) {
                                  return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
                                    const Motion<double> a = link_acceleration(model, ws, s.link);
                                    put(a.v, put(a.w, out[0]));
                                  });
                                }};

const Algorithm centre_of_mass_of{
    {{"q", Input::q}}, {{"centre_of_mass", {Axis::three}}}, [](Works& works, const State& s, double* const* out) {
      return after_kinematics(works, s,
                              [&](const Model& model, const Workspace<double>& ws) { put(centre_of_mass(model, ws), out[0]); });
    }};

const Algorithm momentum_of{
    {{"q", Input::q}, {"dq", Input::dq}}, {{"momentum", {Axis::six}}}, [](Works& works, const State& s, double* const* out) {
      return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
        const Force<double> h = momentum(model, ws);
        put(h.f, put(h.n, out[0]));
      });
    }};

const char* const text_of_inputs[] = {"q: ArrayLike", "q: ArrayLike, dq: ArrayLike",
                                      "q: ArrayLike, dq: ArrayLike, ddq: ArrayLike"};

std::string signature(const char* name, int inputs, bool link) {
  return std::string("def ") + name + "(robot: Model, " + text_of_inputs[inputs - 1] + (link ? ", link: str" : "") +
         ", *, out: NDArray[numpy.float64] | None = None, threads: int = 1, on_error: str = 'raise') -> Any";
}

template <const Algorithm& algorithm>
nb::object of_q_link(const RobotModel& r, H q, const std::string& link, H out, int threads, H on_error) {
  return call(algorithm, r, {&q, nb::none(), out, r.link(link), threads, on_error});
}
template <const Algorithm& algorithm>
nb::object of_q(const RobotModel& r, H q, H out, int threads, H on_error) {
  return call(algorithm, r, {&q, nb::none(), out, -1, threads, on_error});
}
template <const Algorithm& algorithm>
nb::object of_q_dq(const RobotModel& r, H q, H dq, H out, int threads, H on_error) {
  const H in[] = {q, dq};
  return call(algorithm, r, {in, nb::none(), out, -1, threads, on_error});
}
nb::object velocity(const RobotModel& r, H q, H dq, const std::string& link, H out, int threads, H on_error) {
  const H in[] = {q, dq};
  return call(velocity_of, r, {in, nb::none(), out, r.link(link), threads, on_error});
}
nb::object acceleration(const RobotModel& r, H q, H dq, H ddq, const std::string& link, H out, int threads, H on_error) {
  const H in[] = {q, dq, ddq};
  return call(acceleration_of, r, {in, nb::none(), out, r.link(link), threads, on_error});
}

/// The names of the arguments, then those that all functions end with.
template <class Function, class... Names>
void define(nb::module_& m, const char* name, Function function, int inputs, bool link, const char* doc, Names... names) {
  m.def(name, function, nb::arg("robot"), nb::arg(names)..., nb::kw_only(), nb::arg("out") = nb::none(), nb::arg("threads") = 1,
        nb::arg("on_error") = "raise", nb::sig(signature(name, inputs, link).c_str()), doc);
}

}  // namespace

void bind_kinematics(nb::module_& m) {
  define(m, "pose", &of_q_link<pose_of>, 1, true,
         R"(Where a link is in the world: q (..., nq) -> (..., 7): x y z in m, then the unit quaternion x y z w, w ≥ 0.

out, threads and on_error as in rnea. Cost: O(n).)",
         "q", "link");
  define(m, "jacobian", &of_q_link<jacobian_of>, 1, true,
         R"(J with velocity = J dq: q (..., nq) -> (..., 6, nv), in the link's frame about its origin, angular rows first.

out, threads and on_error as in rnea. Cost: O(n).)",
         "q", "link");
  define(m, "velocity", &velocity, 2, true,
         R"(The spatial velocity of a link in its own frame, angular first: (..., 6); rad/s, m/s.

q (..., nq), dq (..., nv). The columns `vel.LINK.*` of the command line. out, threads and on_error as in rnea. Cost: O(n).)",
         "q", "dq", "link");
  define(m, "acceleration", &acceleration, 3, true,
         R"(The spatial acceleration of a link in its own frame, gravity included, angular first: (..., 6); rad/s², m/s².

A link at rest shows +9.81 upwards. q (..., nq), dq and ddq (..., nv). The columns `acc.LINK.*` of the command line. out,
threads and on_error as in rnea. Cost: O(n).)",
         "q", "dq", "ddq", "link");
  define(m, "centre_of_mass", &of_q<centre_of_mass_of>, 1, false,
         R"(The centre of mass of all that moves, in the world: q (..., nq) -> (..., 3), m.

Links fixed to the world do not count. A robot without moving mass fails. out, threads and on_error as in rnea. Cost: O(n).)",
         "q");
  define(m, "momentum", &of_q_dq<momentum_of>, 2, false,
         R"(The momentum of all that moves about its centre of mass, in world axes: angular, then linear: (..., 6).

q (..., nq), dq (..., nv); N·m·s, N·s. out, threads and on_error as in rnea. Cost: O(n).)",
         "q", "dq");
  define(m, of_catalogue("energy", "Energy"),
         R"(The energy of all that moves: the named tuple (kinetic, potential), each (...,), J.

Potential energy is zero with all mass at the world's origin. q (..., nq), dq (..., nv). out, threads and on_error as in rnea;
out is a tuple of two arrays. Cost: O(n).)");
}

}  // namespace sparsedyn::python
