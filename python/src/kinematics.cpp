// sd.pose, sd.jacobian, sd.velocity, sd.acceleration, of one link and of all; sd.centre_of_mass, sd.momentum, sd.energy.
#include "sparsedyn/dynamics/kinematics.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "after_kinematics.hpp"
#include "link_poses.hpp"
#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/dynamics/momentum.hpp"

namespace sparsedyn::python {
namespace {

using H = nb::handle;

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

const Algorithm pose_matrix_of{
    {{"q", Input::q}}, {{"pose", {Axis::four, Axis::four}}}, [](Works& works, const State& s, double* const* out) {
      return after_kinematics(
          works, s, [&](const Model& model, const Workspace<double>& ws) { put_matrix(link_pose(model, ws, s.link), out[0]); });
    }};

const Algorithm pose_matrices_of{{{"q", Input::q}},
                                 {{"poses", {Axis::links, Axis::four, Axis::four}}},
                                 [](Works& works, const State& s, double* const* out) {
                                   return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
                                     double* next = out[0];
                                     for (int link = 0; link < static_cast<int>(model.links.size()); ++link)
                                       next = put_matrix(link_pose(model, ws, link), next);
                                   });
                                 }};

void put_quaternion(const Mat3<double>& R, double* out) {
  for (double u : quaternion_from_rotation(R)) *out++ = u;
}

[[gnu::flatten]] int all_poses(Works& works, const State& s, double* const* out) {
  const Model& model = works.model;
  if (model.coordinate_map)
    forward_kinematics<double>(model, works.basic, s.q, nullptr, nullptr);
  else
    world_poses(model, works.basic, s.q);
  static_assert(sizeof(Pose<double>) == 12 * sizeof(double));
  if (PackedWorks* const packed = works.packed())
    packed->link_poses(reinterpret_cast<const double*>(works.basic.world_pose.data()), out[0]);
  else
    put_poses(model, works.basic, put_quaternion, out[0]);
  return -1;
}

const Algorithm poses_of{
    {{"q", Input::q}}, {{"poses", {Axis::links, Axis::seven}}}, &all_poses, nullptr, PackedAlgorithm::poses};

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

const Algorithm whole_centre_of_mass_of{
    {{"q", Input::q}}, {{"centre_of_mass", {Axis::three}}}, [](Works& works, const State& s, double* const* out) {
      return after_kinematics(
          works, s, [&](const Model& model, const Workspace<double>& ws) { put(whole_centre_of_mass(model, ws), out[0]); });
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
         ", *, out: NDArray[numpy.float64] | None = None, threads: int = 1, on_error: Literal['raise', 'nan'] = 'raise') -> "
         "NDArray[numpy.float64]";
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
  m.def(
      "pose",
      [](const RobotModel& r, H q, const std::string& link, bool as_matrix, H out, int threads, H on_error) {
        return call(as_matrix ? pose_matrix_of : pose_of, r, {&q, nb::none(), out, r.link(link), threads, on_error});
      },
      nb::arg("robot"), nb::arg("q"), nb::arg("link"), nb::kw_only(), nb::arg("as_matrix") = false, nb::arg("out") = nb::none(),
      nb::arg("threads") = 1, nb::arg("on_error") = "raise",
      nb::sig(
          "def pose(robot: Model, q: ArrayLike, link: str, *, as_matrix: bool = False, out: NDArray[numpy.float64] | None = "
          "None, threads: int = 1, on_error: Literal['raise', 'nan'] = 'raise') -> NDArray[numpy.float64]"),
      R"(Where a link is in the world: q (..., nq) -> (..., 7): x y z in m, then the unit quaternion x y z w, w ≥ 0.

as_matrix=True: (..., 4, 4), homogeneous. out, threads and on_error as in rnea. Cost: O(n).)");
  m.def(
      "poses",
      [](const RobotModel& r, H q, bool as_matrix, H out, int threads, H on_error) {
        return call(as_matrix ? pose_matrices_of : poses_of, r, {&q, nb::none(), out, -1, threads, on_error});
      },
      nb::arg("robot"), nb::arg("q"), nb::kw_only(), nb::arg("as_matrix") = false, nb::arg("out") = nb::none(),
      nb::arg("threads") = 1, nb::arg("on_error") = "raise",
      nb::sig("def poses(robot: Model, q: ArrayLike, *, as_matrix: bool = False, out: NDArray[numpy.float64] | None = None, "
              "threads: int = 1, on_error: Literal['raise', 'nan'] = 'raise') -> NDArray[numpy.float64]"),
      R"(Where all links are in the world, in the order of link_names: q (..., nq) -> (..., links, 7), each as `pose` gives it.

as_matrix=True: (..., links, 4, 4). out, threads and on_error as in rnea. Cost: O(n).)");
  define(m, "velocities", &of_q_dq<velocities_of>, 2, false,
         R"(The spatial velocities of all links, in the order of link_names, each as `velocity` gives it: (..., links, 6).

q (..., nq), dq (..., nv). out, threads and on_error as in rnea. Cost: O(n).)",
         "q", "dq");
  define(
      m, "accelerations", &of_q_dq_ddq<accelerations_of>, 3, false,
      R"(The spatial accelerations of all links, in the order of link_names, each as `acceleration` gives it: (..., links, 6).

q (..., nq), dq and ddq (..., nv). out, threads and on_error as in rnea. Cost: O(n).)",
      "q", "dq", "ddq");
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
  m.def(
      "centre_of_mass",
      [](const RobotModel& r, H q, bool whole, H out, int threads, H on_error) {
        return call(whole ? whole_centre_of_mass_of : centre_of_mass_of, r, {&q, nb::none(), out, -1, threads, on_error});
      },
      nb::arg("robot"), nb::arg("q"), nb::kw_only(), nb::arg("whole") = false, nb::arg("out") = nb::none(),
      nb::arg("threads") = 1, nb::arg("on_error") = "raise",
      nb::sig(
          "def centre_of_mass(robot: Model, q: ArrayLike, *, whole: bool = False, out: NDArray[numpy.float64] | None = None, "
          "threads: int = 1, on_error: Literal['raise', 'nan'] = 'raise') -> NDArray[numpy.float64]"),
      R"(The centre of mass of all that moves, in the world: q (..., nq) -> (..., 3), m.

It weighs robot.moving_mass: links fixed to the world do not count. whole=True: of all links, robot.mass. A robot without such
mass fails. out, threads and on_error as in rnea. Cost: O(n).)");
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
