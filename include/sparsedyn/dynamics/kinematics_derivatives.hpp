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
#pragma once

#include "sparsedyn/code.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn {

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

/// For link `link` (index in Model::links), after forward_kinematics with v and a. Accelerations are spatial, gravity
/// included. O(depth) besides the zeros; no heap.
template <class S>
void link_derivatives(const Model& model, const Workspace<S>& ws, int link, const LinkDerivatives<S>& out) noexcept {
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
