// sd.jacobian, its rate and its derivatives, and two links relative to each other.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "after_kinematics.hpp"
#include "sparsedyn/dynamics/relative_motion.hpp"

namespace sparsedyn::python {
namespace {

using H = nb::handle;

Axes axes_of(Frame frame) { return frame == Frame::link ? Axes::link : Axes::world; }

Vec3<double> column(const double* J, int nv, int first_row, int c) {
  return {{J[first_row * nv + c], J[(first_row + 1) * nv + c], J[(first_row + 2) * nv + c]}};
}
void put_column(const Vec3<double>& x, double* J, int nv, int first_row, int c) {
  for (int r = 0; r < 3; ++r) J[(first_row + r) * nv + c] = x[r];
}

/// From the velocity of the point at p to that of the body's point at the origin: linear rows += p × angular rows.
void shift_to_origin(const Vec3<double>& p, int nv, double* J) {
  for (int c = 0; c < nv; ++c) put_column(column(J, nv, 3, c) + cross(p, column(J, nv, 0, c)), J, nv, 3, c);
}

const Algorithm jacobian_of{
    {{"q", Input::q}}, {{"J", {Axis::six, Axis::nv}}}, [](Works& works, const State& s, double* const* out) {
      return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
        point_jacobian(model, ws, s.link, axes_of(s.frame), s.point, out[0]);
        if (s.frame == Frame::world) shift_to_origin(link_pose(model, ws, s.link).d, model.nv, out[0]);
      });
    }};

/// After forward kinematics with q and v. With J at the world's origin = J_point + p × J_angular, so its rate is that of
/// J_point, p × that of J_angular and p' × J_angular. `J`: room for 6 × nv.
void write_rate(const Model& model, const Workspace<double>& ws, const State& s, double* J, double* rate) {
  const int nv = model.nv;
  point_jacobian_rate(model, ws, s.link, axes_of(s.frame), s.point, rate);
  if (s.frame != Frame::world) return;
  point_jacobian(model, ws, s.link, Axes::world, s.point, J);
  shift_to_origin(link_pose(model, ws, s.link).d, nv, rate);
  const Vec3<double> moving = link_velocity(model, ws, s.link, Axes::world).v;
  for (int c = 0; c < nv; ++c) put_column(column(rate, nv, 3, c) + cross(moving, column(J, nv, 0, c)), rate, nv, 3, c);
}

const Algorithm jacobian_rate_of{{{"q", Input::q}, {"dq", Input::dq}},
                                 {{"dJ", {Axis::six, Axis::nv}}},
                                 [](Works& works, const State& s, double* const* out) {
                                   std::vector<double> J(static_cast<std::size_t>(6 * works.model.nv));
                                   return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
                                     write_rate(model, ws, s, J.data(), out[0]);
                                   });
                                 }};

const Algorithm jacobian_derivative_of{
    {{"q", Input::q}}, {{"dJ_dq", {Axis::six, Axis::nv, Axis::nv}}}, [](Works& works, const State& s, double* const* out) {
      const Model& model = works.model;
      const int entries = 6 * model.nv;
      std::vector<double> J(static_cast<std::size_t>(entries)), work(static_cast<std::size_t>(entries + model.nv));
      detail::derivatives_by_unit_velocities(
          model, works.basic, s.q, entries,
          [&](const Workspace<double>& ws, double* rate) { write_rate(model, ws, s, J.data(), rate); }, out[0], work.data());
      return -1;
    }};

Pose<double> relative(const Model& model, const Workspace<double>& ws, const State& s) {
  return relative_pose(model, ws, s.reference, s.link);
}

const Algorithm relative_pose_of{
    {{"q", Input::q}}, {{"pose", {Axis::seven}}}, [](Works& works, const State& s, double* const* out) {
      return after_kinematics(works, s,
                              [&](const Model& model, const Workspace<double>& ws) { put(relative(model, ws, s), out[0]); });
    }};
const Algorithm relative_matrix_of{
    {{"q", Input::q}}, {{"pose", {Axis::four, Axis::four}}}, [](Works& works, const State& s, double* const* out) {
      return after_kinematics(
          works, s, [&](const Model& model, const Workspace<double>& ws) { put_matrix(relative(model, ws, s), out[0]); });
    }};

const Algorithm relative_jacobian_of{
    {{"q", Input::q}}, {{"J", {Axis::six, Axis::nv}}}, [](Works& works, const State& s, double* const* out) {
      std::vector<double> of_reference(static_cast<std::size_t>(6 * works.model.nv));
      return after_kinematics(works, s, [&](const Model& model, const Workspace<double>& ws) {
        relative_jacobian(model, ws, s.reference, s.link, axes_of(s.frame), out[0], of_reference.data());
        if (s.frame == Frame::world) shift_to_origin(relative(model, ws, s).d, model.nv, out[0]);
      });
    }};

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

template <const Algorithm& algorithm>
nb::object link_of_q(const RobotModel& r, H q, const std::string& link, const std::string& frame, H point, H out, int threads,
                     H on_error) {
  AlgorithmCall asked{&q, nb::none(), out, r.link(link), threads, on_error};
  asked.frame = frame_named(frame), asked.point = point_of(point, asked.frame);
  return call(algorithm, r, asked);
}
nb::object rate(const RobotModel& r, H q, H dq, const std::string& link, const std::string& frame, H point, H out, int threads,
                H on_error) {
  const H in[] = {q, dq};
  AlgorithmCall asked{in, nb::none(), out, r.link(link), threads, on_error};
  asked.frame = frame_named(frame), asked.point = point_of(point, asked.frame);
  return call(jacobian_rate_of, r, asked);
}

nb::object pose_between(const RobotModel& r, H q, const std::string& link, const std::string& reference, bool as_matrix, H out,
                        int threads, H on_error) {
  AlgorithmCall asked{&q, nb::none(), out, r.link(link), threads, on_error};
  asked.reference = r.link(reference);
  return call(as_matrix ? relative_matrix_of : relative_pose_of, r, asked);
}
nb::object jacobian_between(const RobotModel& r, H q, const std::string& link, const std::string& reference,
                            const std::string& frame, H out, int threads, H on_error) {
  AlgorithmCall asked{&q, nb::none(), out, r.link(link), threads, on_error};
  asked.reference = r.link(reference), asked.frame = frame_named(frame);
  return call(relative_jacobian_of, r, asked);
}

#define SPARSEDYN_REST_OF_JACOBIANS                                                                                  \
  "*, out: NDArray[numpy.float64] | None = None, threads: int = 1, on_error: Literal['raise', 'nan'] = 'raise') -> " \
  "NDArray[numpy.float64]"

/// Of a Jacobian, its rate or its derivatives: what its frame may be, and its point.
template <class Function, class... Names>
void define_jacobian(nb::module_& m, const char* name, Function function, const char* inputs, const char* doc, Names... names) {
  const std::string text = std::string("def ") + name + "(robot: Model, " + inputs +
                           ", link: str, frame: Literal['link', 'world', 'aligned'] = 'link', point: ArrayLike | None = "
                           "None, " SPARSEDYN_REST_OF_JACOBIANS;
  m.def(name, function, nb::arg("robot"), nb::arg(names)..., nb::arg("link"), nb::arg("frame") = "link",
        nb::arg("point").none() = nb::none(), nb::kw_only(), nb::arg("out") = nb::none(), nb::arg("threads") = 1,
        nb::arg("on_error") = "raise", nb::sig(text.c_str()), doc);
}

}  // namespace

void bind_jacobians(nb::module_& m) {
  define_jacobian(m, "jacobian", &link_of_q<jacobian_of>, "q: ArrayLike",
                  R"(J with velocity = J dq: q (..., nq) -> (..., 6, nv), angular rows first.

frame  'link': in the link's axes; 'aligned': in the world's; the linear rows are the velocity of the point. 'world': in the world's
       axes about the world's origin (the spatial velocity of the body; Pinocchio's WORLD)
point  of the link (3,), m, in its axes; None: its origin

out, threads and on_error as in rnea. Cost: O(n).)",
                  "q");
  define_jacobian(m, "jacobian_rate", &rate, "q: ArrayLike, dq: ArrayLike",
                  R"(dJ/dt of `jacobian` along dq: (..., 6, nv), so that J ddq + dJ/dt dq is the rate of J dq.

q (..., nq), dq (..., nv); frame and point as in jacobian. out, threads and on_error as in rnea. Cost: O(n).)",
                  "q", "dq");
  define_jacobian(m, "jacobian_derivative", &link_of_q<jacobian_derivative_of>, "q: ArrayLike",
                  R"(The kinematic Hessian: entry [i, j, k] is ∂J[i, j]/∂q_k of `jacobian`, q along the tangent (q ⊕ δ).

q (..., nq) -> (..., 6, nv, nv); frame and point as in jacobian. jacobian_rate is its product with dq. out, threads and on_error
as in rnea. Cost: O(n²).)",
                  "q");
  m.def("relative_pose", &pose_between, nb::arg("robot"), nb::arg("q"), nb::arg("link"), nb::arg("reference"), nb::kw_only(),
        nb::arg("as_matrix") = false, nb::arg("out") = nb::none(), nb::arg("threads") = 1, nb::arg("on_error") = "raise",
        nb::sig("def relative_pose(robot: Model, q: ArrayLike, link: str, reference: str, *, as_matrix: bool = False, out: "
                "NDArray[numpy.float64] | None = None, threads: int = 1, on_error: Literal['raise', 'nan'] = 'raise') -> "
                "NDArray[numpy.float64]"),
        R"(Where a link is in the frame of another, the reference: q (..., nq) -> (..., 7), or (..., 4, 4) with as_matrix=True.

Poses as `pose` gives them. out, threads and on_error as in rnea. Cost: O(n).)");
  m.def("relative_jacobian", &jacobian_between, nb::arg("robot"), nb::arg("q"), nb::arg("link"), nb::arg("reference"),
        nb::arg("frame") = "link", nb::kw_only(), nb::arg("out") = nb::none(), nb::arg("threads") = 1,
        nb::arg("on_error") = "raise",
        nb::sig("def relative_jacobian(robot: Model, q: ArrayLike, link: str, reference: str, frame: Literal['link', 'world', "
                "'aligned'] = 'link', " SPARSEDYN_REST_OF_JACOBIANS),
        R"(How a link moves as seen from another, the reference: J dq is the velocity of `relative_pose`: (..., 6, nv).

frame as in jacobian, with the reference in the world's place: 'link': in the link's axes; 'aligned': in the reference's; 'world':
in the reference's, about its origin. out, threads and on_error as in rnea. Cost: O(n).)");
}

}  // namespace sparsedyn::python
