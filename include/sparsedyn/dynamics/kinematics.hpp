// Poses, velocities and accelerations of bodies and links, and their derivatives by q, v and a (Featherstone, Rigid Body
// Dynamics Algorithms, 2008; Carpentier & Mansard, RSS 2018).
#pragma once

#include <cassert>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// Axes in which a link's motion is written; its linear part is always that of the link's origin.
enum class Axes { link, world };

/// Fills ws.pose, ws.world_pose and, as far as v and a are given, ws.velocity and ws.acceleration (nullptr: zero):
///   v_i = iX_λ v_λ + S v,   a_i = iX_λ a_λ + v_i × S v + S a,   a_world = −g (Featherstone 2008, eqs. 5.7–5.8; S-dot = 0).
/// q: nq; v, a: nv. O(n), no heap.
template <class S>
void forward_kinematics(const Model& model, Workspace<S>& ws, const S* q, const S* v, const S* a) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get(); seldom(map))
    return forward_kinematics(map->tree, ws, tree_positions(*map, q, ws.tree.q.data()), tree_rates(*map, v, ws.tree.v.data()),
                              tree_rates(*map, a, ws.tree.a.data()));
  const Motion<S> still{zero3<S>(), zero3<S>()}, world{zero3<S>(), -cast<S>(model.gravity)};
  const int n = static_cast<int>(model.bodies.size());
  for (int i = 0; i < n; ++i) {
    const Body& body = model.bodies[i];
    const int up = body.parent;
    const Pose<S> X = joint_pose(body, q);
    const Motion<S> vJ = v ? joint_motion(body, v) : still;
    const Motion<S> aJ = a ? joint_motion(body, a) : still;
    ws.pose[i] = X;
    ws.world_pose[i] = up < 0 ? X : ws.world_pose[up] * X;
    ws.velocity[i] = up < 0 ? vJ : to_child(X, ws.velocity[up]) + vJ;
    ws.acceleration[i] = to_child(X, up < 0 ? world : ws.acceleration[up]) + cross(ws.velocity[i], vJ) + aJ;
  }
}

}  // namespace SPARSEDYN_CODE

namespace detail {
inline namespace SPARSEDYN_CODE {

/// A motion of the link, given in the link's axes.
template <class S>
Motion<S> in_axes(const Workspace<S>& ws, const Link& link, Axes axes, const Motion<S>& motion) {
  if (axes == Axes::link) return motion;
  const Mat3<S> in_body = cast<S>(cast<Constant<S>>(link.pose.R));
  const Mat3<S> R = link.body < 0 ? in_body : ws.world_pose[link.body].R * in_body;
  return {R * motion.w, R * motion.v};
}

/// A frame in the link's body, with the axes in which motions of the link are to be written.
template <class S>
Pose<S> oriented_frame(const Workspace<S>& ws, const Link& link, Axes axes, const Pose<double>& in_body) {
  Pose<S> frame = cast<S>(cast<Constant<S>>(in_body));
  if (axes == Axes::world && link.body >= 0) frame.R = transpose(ws.world_pose[link.body].R);
  return frame;
}

/// Visits the freedoms that move a body, from its own joint to the root's: (body k of the freedom, entry of v, `frame` in body
/// k, screw of a unit rate in body k).
template <class S, class Visit>
void for_each_screw(const Model& model, const Workspace<S>& ws, int body, Pose<S> frame, const Visit& visit) {
  const Model& tree = model.tree();  // J = J_t G
  for (int k = body; k >= 0; k = tree.bodies[k].parent) {
    const Body& each = tree.bodies[k];
    for (int c = 0; c < freedoms(each.joint); ++c)
      visit(k, entry_of(model, each.v + c), frame, cast<Constant<S>>(motion_subspace(each, c)));
    frame = ws.pose[k] * frame;
  }
}

/// Adds a motion to the column of a 6 × nv matrix that entry `at` of the robot's v belongs to.
template <class S>
void add_to_column(const CoordinateMap::Entry& at, const Motion<S>& x, int nv, S* J) {
  for (int r = 0; r < 3; ++r) {
    add_times(at.multiplier, x.w[r], J[r * nv + at.index]);
    add_times(at.multiplier, x.v[r], J[(3 + r) * nv + at.index]);
  }
}

/// J of a frame in a body, written: motion of the frame in its own axes = J v.
template <class S>
void frame_jacobian(const Model& model, int body, const Pose<S>& frame, const Workspace<S>& ws, S* J) {
  for (int i = 0; i < 6 * model.nv; ++i) J[i] = S(0.0);
  for_each_screw(model, ws, body, frame, [&](int, const auto& at, const Pose<S>& below, const auto& screw) {
    add_to_column(at, to_child(below, screw), model.nv, J);
  });
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

// Below, `link` is an index in Model::links, from Model::link; compiled without NDEBUG, another number ends the program.

/// After forward_kinematics: pose of a link's frame in the world.
template <class S>
Pose<S> link_pose(const Model& model, const Workspace<S>& ws, int link) noexcept {
  assert(detail::is_index("link", link, model.links.size()));
  const Link& l = model.links[link];
  const Pose<S> in_body = cast<S>(cast<Constant<S>>(l.pose));
  return l.body < 0 ? in_body : ws.world_pose[l.body] * in_body;
}

/// After forward_kinematics: spatial velocity of a link, angular part first, as its Jacobian in the same axes gives it.
template <class S>
Motion<S> link_velocity(const Model& model, const Workspace<S>& ws, int link, Axes axes = Axes::link) noexcept {
  assert(detail::is_index("link", link, model.links.size()));
  const Link& l = model.links[link];
  if (l.body < 0) return {zero3<S>(), zero3<S>()};
  return detail::in_axes(ws, l, axes, to_child(cast<Constant<S>>(l.pose), ws.velocity[l.body]));
}

/// After forward_kinematics: spatial acceleration of a link, gravity included (at rest: +9.81 upwards).
template <class S>
Motion<S> link_acceleration(const Model& model, const Workspace<S>& ws, int link, Axes axes = Axes::link) noexcept {
  assert(detail::is_index("link", link, model.links.size()));
  const Link& l = model.links[link];
  const Motion<S> world{zero3<S>(), -cast<S>(model.gravity)};
  return detail::in_axes(ws, l, axes, to_child(cast<Constant<S>>(l.pose), l.body < 0 ? world : ws.acceleration[l.body]));
}

/// J, 6 × nv row by row, angular rows first: velocity of the link = J v. All entries written, zero for freedoms that do not
/// move the link. After forward_kinematics. O(depth), besides the zeros.
template <class S>
void link_jacobian(const Model& model, const Workspace<S>& ws, int link, Axes axes, S* J) noexcept {
  assert(detail::is_index("link", link, model.links.size()));
  const Link& l = model.links[link];
  detail::frame_jacobian(model, l.body, detail::oriented_frame(ws, l, axes, l.pose), ws, J);
}

}  // namespace SPARSEDYN_CODE

// First derivatives of a link's spatial velocity and acceleration by q, v and a (cf. Carpentier & Mansard, RSS 2018).
//
// Perturbing freedom j on the right moves everything below its joint by the screw s = iX_j S_j, while the parent λ of j keeps
// its motion. With v_λ, a_λ carried into the coordinates of link i (a_λ = −g at the world), p = v_λ and v_j the velocity of
// the body that j leads:
//   ∂v_i/∂v_j = s                  ∂v_i/∂q_j = p × s
//   ∂a_i/∂v_j = (p + v_j − v_i) × s
//   ∂a_i/∂q_j = a_λ × s + (p × s) × (v_i − p)
//   ∂a_i/∂a_j = s
// since below j the change δv = p × s of velocities adds δv × v_J at each joint, which sums to δv × (v_i − v_j).

/// Results, 6 × nv row by row, angular rows first, in the link's coordinates. Columns with respect to q are on the tangent
/// space (perturbed on the right); freedoms that do not move the link have exact zeros. ∂a/∂a = ∂v/∂v.
template <class S>
struct LinkDerivatives {
  S *dv_dq, *dv_dv, *da_dq, *da_dv;  // each 6 × nv
};

namespace detail {
inline namespace SPARSEDYN_CODE {

template <class S>
void add_column(S* matrix, int nv, const CoordinateMap::Entry& at, const Motion<S>& x) {
  for (int r = 0; r < 3; ++r) {
    add_times(at.multiplier, x.w[r], matrix[r * nv + at.index]);
    add_times(at.multiplier, x.v[r], matrix[(3 + r) * nv + at.index]);
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// For a link, after forward_kinematics with v and a. Accelerations are spatial, gravity included, in the link's axes. O(depth)
/// besides the zeros; no heap.
template <class S>
void link_derivatives(const Model& model, const Workspace<S>& ws, int link, const LinkDerivatives<S>& out) noexcept {
  assert(detail::is_index("link", link, model.links.size()));
  const int nv = model.nv;
  for (S* matrix : {out.dv_dq, out.dv_dv, out.da_dq, out.da_dv})
    for (int i = 0; i < 6 * nv; ++i) matrix[i] = S(0.0);
  const Motion<S> still{zero3<S>(), zero3<S>()}, world{zero3<S>(), -cast<S>(model.gravity)};
  const Motion<S> v_i = link_velocity(model, ws, link);
  Pose<S> below = cast<S>(cast<Constant<S>>(model.links[link].pose));  // of the link in body k
  const Model& tree = model.tree();
  for (int k = model.links[link].body; k >= 0; k = tree.bodies[k].parent) {
    const Body& body = tree.bodies[k];
    const Motion<S> v_k = to_child(below, ws.velocity[k]);
    const Pose<S> in_parent = ws.pose[k] * below;
    const Motion<S> p = body.parent < 0 ? still : to_child(in_parent, ws.velocity[body.parent]);
    const Motion<S> a_parent = to_child(in_parent, body.parent < 0 ? world : ws.acceleration[body.parent]);
    for (int c = 0; c < freedoms(body.joint); ++c) {
      const Motion<S> s = to_child(below, cast<Constant<S>>(motion_subspace(body, c)));
      const Motion<S> dv = cross(p, s);
      const CoordinateMap::Entry at = entry_of(model, body.v + c);
      detail::add_column(out.dv_dv, nv, at, s);
      detail::add_column(out.dv_dq, nv, at, dv);
      detail::add_column(out.da_dv, nv, at, cross(p + v_k - v_i, s));
      detail::add_column(out.da_dq, nv, at, cross(a_parent, s) + cross(dv, v_i - p));
    }
    below = in_parent;
  }
}

}  // namespace SPARSEDYN_CODE

}  // namespace sparsedyn
