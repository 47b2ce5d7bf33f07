// Jacobians at points of links and their rates, and those of the centre of mass and of the momentum about it.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/momentum.hpp"

namespace sparsedyn {

namespace detail {
inline namespace SPARSEDYN_CODE {

/// The frame at a point of a link (m, in its axes), in the link's body.
inline Pose<double> frame_at(const Link& link, const Vec3<double>& point) {
  return link.pose * Pose<double>{identity3<double>(), point};
}

/// Visits all freedoms: (entry of v, momentum at a unit rate of the freedom alone, about the world's origin in world axes). The
/// bodies beyond a joint move as one, whose inertia is composed in ws.composite from the tips to the base.
template <class S, class Visit>
void for_each_unit_momentum(const Model& model, Workspace<S>& ws, const Visit& visit) {
  const Model& tree = model.tree();
  const int n = static_cast<int>(tree.bodies.size());
  for (int i = 0; i < n; ++i) ws.composite[i] = inertia_in<S>(tree.bodies[i].inertia);
  for (int i = n - 1; i >= 0; --i) {
    const Body& body = tree.bodies[i];
    for (int c = 0; c < freedoms(body.joint); ++c)
      visit(entry_of(model, body.v + c),
            to_parent(ws.world_pose[i], ws.composite[i] * cast<Constant<S>>(motion_subspace(body, c))));
    if (body.parent >= 0) ws.composite[body.parent] = ws.composite[body.parent] + to_parent(ws.pose[i], ws.composite[i]);
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// As link_jacobian, of the point of the link that `point` (m) is in the link's axes: J v is (angular velocity, velocity of the
/// point), 6 × nv row by row. After forward_kinematics with q. O(depth), besides the zeros; no heap.
template <class S>
void point_jacobian(const Model& model, const Workspace<S>& ws, int link, Axes axes, const Vec3<double>& point, S* J) noexcept {
  assert(detail::is_index("link", link, model.links.size()));
  const Link& l = model.links[link];
  detail::frame_jacobian(model, l.body, detail::oriented_frame(ws, l, axes, detail::frame_at(l, point)), ws, J);
}

/// Its rate dJ/dt along v, so that the point's motion changes by J dv/dt + (dJ/dt) v. After forward_kinematics with q and v. A
/// screw S is fixed in its body, which moves by v_k: seen from the world its rate is X (v_k × S), in the axes asked for. Of the
/// frame at the point, which moves by (ω, u), the axes turn with the link or stay, and the point moves on:
///   Axes::link:  X (v_k × S) − (ω, u) × X S        Axes::world:  X (v_k × S) − (0, u) × X S
/// O(depth), besides the zeros; no heap.
template <class S>
void point_jacobian_rate(const Model& model, const Workspace<S>& ws, int link, Axes axes, const Vec3<double>& point,
                         S* dJ) noexcept {
  assert(detail::is_index("link", link, model.links.size()));
  for (int i = 0; i < 6 * model.nv; ++i) dJ[i] = S(0.0);
  const Link& l = model.links[link];
  if (l.body < 0) return;
  const Pose<S> frame = detail::oriented_frame(ws, l, axes, detail::frame_at(l, point));
  const Motion<S> moving = to_child(frame, ws.velocity[l.body]);
  const Motion<S> turning{axes == Axes::link ? moving.w : zero3<S>(), moving.v};
  detail::for_each_screw(model, ws, l.body, frame, [&](int k, const auto& at, const Pose<S>& below, const auto& screw) {
    const Motion<S> rate = to_child(below, cross(ws.velocity[k], cast<S>(screw)));
    detail::add_to_column(at, rate - cross(turning, to_child(below, screw)), model.nv, dJ);
  });
}

/// A with momentum() = A v: angular rows first, about the centre of mass of all that moves, in world axes; 6 × nv row by row
/// (Orin, Goswami & Lee 2013). After forward_kinematics with q; writes ws.composite. Where no mass moves its linear rows are
/// zero and the angular ones the same about every point. Its rate times v is momentum_rate() at dv/dt = 0. O(n), no heap.
template <class S>
void centroidal_momentum_matrix(const Model& model, Workspace<S>& ws, S* A) noexcept {
  for (int i = 0; i < 6 * model.nv; ++i) A[i] = S(0.0);
  const Vec3<S> centre = moving_mass(model) > 0 ? centre_of_mass(model, ws) : zero3<S>();
  detail::for_each_unit_momentum(model, ws, [&](const auto& at, const Force<S>& momentum) {
    const Force<S> h = about(centre, momentum);
    detail::add_to_column(at, Motion<S>{h.n, h.f}, model.nv, A);
  });
}

/// J with centre_of_mass_velocity() = J v, in world axes; 3 × nv row by row. After forward_kinematics with q; writes
/// ws.composite. NaN where no mass moves. O(n), no heap.
template <class S>
void centre_of_mass_jacobian(const Model& model, Workspace<S>& ws, S* J) noexcept {
  const S per_mass = S(1.0) / moving_mass_in<S>(model);
  for (int i = 0; i < 3 * model.nv; ++i) J[i] = S(0.0);
  detail::for_each_unit_momentum(model, ws, [&](const auto& at, const Force<S>& momentum) {
    for (int r = 0; r < 3; ++r) add_times(at.multiplier, per_mass * momentum.f[r], J[r * model.nv + at.index]);
  });
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
