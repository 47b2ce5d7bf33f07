// sd.pose, sd.jacobian, sd.velocity, sd.acceleration, of one link and of all; sd.centre_of_mass, sd.momentum, sd.energy.
#include "sparsedyn/dynamics/kinematics.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "algorithm.hpp"
#include "sparsedyn/dynamics/jacobians.hpp"
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

double* put(const Pose<double>& pose, double* out) {
  out = put(pose.d, out);
  for (double u : quaternion_from_rotation(pose.R)) *out++ = u;
  return out;
}

double* put(const Motion<double>& m, double* out) { return put(m.v, put(m.w, out)); }

/// What `of` makes of each link, one after the other.
template <class Of>
void put_all(const Model& model, double* out, const Of& of) {
  for (int link = 0; link < static_cast<int>(model.links.size()); ++link) out = put(of(link), out);
}

const Algorithm pose_of{{{"q", Input::q}}, {{"pose", {Axis::seven}}}, [](Works& works, const State& s, double* const* out) {
                          return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
                            put(link_pose(model, ws, s.link), out[0]);
                          });
                        }};

const Algorithm poses_of{
    {{"q", Input::q}}, {{"poses", {Axis::links, Axis::seven}}}, [](Works& works, const State& s, double* const* out) {
      return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
        put_all(model, out[0], [&](int link) { return link_pose(model, ws, link); });
      });
    }};

const Algorithm velocities_of{{{"q", Input::q}, {"dq", Input::dq}},
                              {{"velocities", {Axis::links, Axis::six}}},
                              [](Works& works, const State& s, double* const* out) {
                                return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
                                  put_all(model, out[0], [&](int link) { return link_velocity(model, ws, link); });
                                });
                              }};

const Algorithm accelerations_of{{{"q", Input::q}, {"dq", Input::dq}, {"ddq", Input::ddq}},
                                 {{"accelerations", {Axis::links, Axis::six}}},
                                 [](Works& works, const State& s, double* const* out) {
                                   return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
                                     put_all(model, out[0], [&](int link) { return link_acceleration(model, ws, link); });
                                   });
                                 }};

Axes axes_of(Frame frame) { return frame == Frame::link ? Axes::link : Axes::world; }

Vec3<double> column(const double* J, int nv, int first_row, int c) {
  return {{J[first_row * nv + c], J[(first_row + 1) * nv + c], J[(first_row + 2) * nv + c]}};
}

/// From the velocity of the point at p to that of the body's point at the world's origin: linear rows += p × angular rows.
void shift_to_origin(const Vec3<double>& p, int nv, double* J) {
  for (int c = 0; c < nv; ++c) {
    const Vec3<double> u = cross(p, column(J, nv, 0, c));
    for (int r = 0; r < 3; ++r) J[(3 + r) * nv + c] += u[r];
  }
}

const Algorithm jacobian_of{
    {{"q", Input::q}}, {{"J", {Axis::six, Axis::nv}}}, [](Works& works, const State& s, double* const* out) {
      return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
        point_jacobian(model, ws, s.link, axes_of(s.frame), s.point, out[0]);
        if (s.frame == Frame::world) shift_to_origin(link_pose(model, ws, s.link).d, model.nv, out[0]);
      });
    }};

/// With J at the world's origin = J_point + p × J_angular, so its rate is that of J_point, p × that of J_angular and p' ×
/// J_angular.
const Algorithm jacobian_rate_of{{{"q", Input::q}, {"dq", Input::dq}},
                                 {{"dJ", {Axis::six, Axis::nv}}},
                                 [](Works& works, const State& s, double* const* out) {
                                   return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
                                     const int nv = model.nv;
                                     point_jacobian_rate(model, ws, s.link, axes_of(s.frame), s.point, out[0]);
                                     if (s.frame != Frame::world) return;
                                     std::vector<double> J(static_cast<std::size_t>(6 * nv));
                                     point_jacobian(model, ws, s.link, Axes::world, s.point, J.data());
                                     shift_to_origin(link_pose(model, ws, s.link).d, nv, out[0]);
                                     const Vec3<double> moving = link_velocity(model, ws, s.link, Axes::world).v;
                                     for (int c = 0; c < nv; ++c) {
                                       const Vec3<double> u = cross(moving, column(J.data(), nv, 0, c));
                                       for (int r = 0; r < 3; ++r) out[0][(3 + r) * nv + c] += u[r];
                                     }
                                   });
                                 }};

const Algorithm centroidal_matrix_of{
    {{"q", Input::q}}, {{"A", {Axis::six, Axis::nv}}}, [](Works& works, const State& s, double* const* out) {
      return after_kinematics(
          works, s, [&](const Model& model, Workspace<double>& ws) { centroidal_momentum_matrix(model, ws, out[0]); });
    }};

const Algorithm com_jacobian_of{
    {{"q", Input::q}}, {{"J", {Axis::three, Axis::nv}}}, [](Works& works, const State& s, double* const* out) {
      return after_kinematics(works, s,
                              [&](const Model& model, Workspace<double>& ws) { centre_of_mass_jacobian(model, ws, out[0]); });
    }};

const Algorithm momentum_rate_of{{{"q", Input::q}, {"dq", Input::dq}, {"ddq", Input::ddq}},
                                 {{"momentum_rate", {Axis::six}}},
                                 [](Works& works, const State& s, double* const* out) {
                                   return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
                                     const Force<double> rate = momentum_rate(model, ws);
                                     put(rate.f, put(rate.n, out[0]));
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
template <const Algorithm& algorithm>
nb::object of_q_dq_ddq(const RobotModel& r, H q, H dq, H ddq, H out, int threads, H on_error) {
  const H in[] = {q, dq, ddq};
  return call(algorithm, r, {in, nb::none(), out, -1, threads, on_error});
}

Frame frame_named(const std::string& name) {
  if (name == "link") return Frame::link;
  if (name == "world") return Frame::world;
  if (name == "aligned") return Frame::aligned;
  throw nb::value_error(("frame: '" + name + "'; expected 'link', 'world' or 'aligned'").c_str());
}

/// Three numbers, or None: the origin.
Vec3<double> point_of(H point, Frame frame) {
  if (point.is_none()) return zero3<double>();
  if (frame == Frame::world) throw nb::value_error("point: the frame 'world' is about the world's origin, whatever the point");
  const nb::object array = nb::module_::import_("numpy").attr("asarray")(point, "float64");
  const auto numbers = nb::cast<std::vector<double>>(array.attr("ravel")().attr("tolist")());
  if (nb::len(nb::handle(array.attr("shape"))) != 1 || numbers.size() != 3)
    throw nb::value_error("point: expected three numbers, m");
  for (const double x : numbers)
    if (!std::isfinite(x)) throw nb::value_error("point: a number is not finite");
  return {{numbers[0], numbers[1], numbers[2]}};
}

nb::object jacobian(const RobotModel& r, H q, const std::string& link, const std::string& frame, H point, H out, int threads,
                    H on_error) {
  AlgorithmCall asked{&q, nb::none(), out, r.link(link), threads, on_error};
  asked.frame = frame_named(frame), asked.point = point_of(point, asked.frame);
  return call(jacobian_of, r, asked);
}
nb::object jacobian_rate(const RobotModel& r, H q, H dq, const std::string& link, const std::string& frame, H point, H out,
                         int threads, H on_error) {
  const H in[] = {q, dq};
  AlgorithmCall asked{in, nb::none(), out, r.link(link), threads, on_error};
  asked.frame = frame_named(frame), asked.point = point_of(point, asked.frame);
  return call(jacobian_rate_of, r, asked);
}

/// Of a Jacobian or its rate: what its frame may be, and its point.
template <class Function, class... Names>
void define_jacobian(nb::module_& m, const char* name, Function function, const char* inputs, const char* doc, Names... names) {
  const std::string text =
      std::string("def ") + name + "(robot: Model, " + inputs +
      ", link: str, frame: str = 'link', point: ArrayLike | None = None, *, out: NDArray[numpy.float64] | None "
      "= None, threads: int = 1, on_error: str = 'raise') -> Any";
  m.def(name, function, nb::arg("robot"), nb::arg(names)..., nb::arg("link"), nb::arg("frame") = "link",
        nb::arg("point").none() = nb::none(), nb::kw_only(), nb::arg("out") = nb::none(), nb::arg("threads") = 1,
        nb::arg("on_error") = "raise", nb::sig(text.c_str()), doc);
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
  define(
      m, "poses", &of_q<poses_of>, 1, false,
      R"(Where all links are in the world, in the order of link_names: q (..., nq) -> (..., links, 7), each as `pose` gives it.

out, threads and on_error as in rnea. Cost: O(n).)",
      "q");
  define(m, "velocities", &of_q_dq<velocities_of>, 2, false,
         R"(The spatial velocities of all links, in the order of link_names, each as `velocity` gives it: (..., links, 6).

q (..., nq), dq (..., nv). out, threads and on_error as in rnea. Cost: O(n).)",
         "q", "dq");
  define(
      m, "accelerations", &of_q_dq_ddq<accelerations_of>, 3, false,
      R"(The spatial accelerations of all links, in the order of link_names, each as `acceleration` gives it: (..., links, 6).

q (..., nq), dq and ddq (..., nv). out, threads and on_error as in rnea. Cost: O(n).)",
      "q", "dq", "ddq");
  define_jacobian(m, "jacobian", &jacobian, "q: ArrayLike",
                  R"(J with velocity = J dq: q (..., nq) -> (..., 6, nv), angular rows first.

frame  'link': in the link's axes; 'aligned': in the world's; the linear rows are the velocity of the point. 'world': in the world's
       axes about the world's origin (the spatial velocity of the body; Pinocchio's WORLD)
point  of the link (3,), m, in its axes; None: its origin

out, threads and on_error as in rnea. Cost: O(n).)",
                  "q");
  define_jacobian(m, "jacobian_rate", &jacobian_rate, "q: ArrayLike, dq: ArrayLike",
                  R"(dJ/dt of `jacobian` along dq: (..., 6, nv), so that J ddq + dJ/dt dq is the rate of J dq.

q (..., nq), dq (..., nv); frame and point as in jacobian. out, threads and on_error as in rnea. Cost: O(n).)",
                  "q", "dq");
  define(m, "centre_of_mass_jacobian", &of_q<com_jacobian_of>, 1, false,
         R"(J with the velocity of `centre_of_mass` = J dq: q (..., nq) -> (..., 3, nv), in the world's axes.

A robot without moving mass fails. out, threads and on_error as in rnea. Cost: O(n).)",
         "q");
  define(
      m, "centroidal_momentum_matrix", &of_q<centroidal_matrix_of>, 1, false,
      R"(A with `momentum` = A dq: q (..., nq) -> (..., 6, nv), angular rows first, in the world's axes (Orin, Goswami & Lee 2013).

Its rate times dq is momentum_rate at ddq = 0. out, threads and on_error as in rnea. Cost: O(n).)",
      "q");
  define(m, "momentum_rate", &of_q_dq_ddq<momentum_rate_of>, 3, false,
         R"(The rate of `momentum`: the sum of all outer wrenches about the centre of mass, weight included: (..., 6); N·m, N.

q (..., nq), dq and ddq (..., nv). out, threads and on_error as in rnea. Cost: O(n).)",
         "q", "dq", "ddq");
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
