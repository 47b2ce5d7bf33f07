// A link as seen from another link, and the derivatives of a link's Jacobian.
#pragma once

#include <cassert>

#include "sparsedyn/dynamics/jacobians.hpp"

namespace sparsedyn {
namespace detail {
inline namespace SPARSEDYN_CODE {

/// The derivatives by q of `entries` numbers whose rate `write_rate(ws, rate)` gives after forward_kinematics with q and v: the
/// rate is linear in v, so that it is the derivative by q_k along the k-th unit velocity. derivative: entries × nv row by row;
/// `work`: nv + entries.
template <class S, class WriteRate>
void derivatives_by_unit_velocities(const Model& model, Workspace<S>& ws, const S* q, int entries, const WriteRate& write_rate,
                                    S* derivative, S* work) {
  const int nv = model.nv;
  S *const unit = work, *const rate = work + nv;
  for (int k = 0; k < nv; ++k) unit[k] = S(0.0);
  for (int k = 0; k < nv; ++k) {
    unit[k] = S(1.0);
    forward_kinematics<S>(model, ws, q, unit, nullptr);
    write_rate(ws, rate);
    for (int i = 0; i < entries; ++i) derivative[i * nv + k] = rate[i];
    unit[k] = S(0.0);
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// The pose of the link's frame in that of the reference. After forward_kinematics with q.
template <class S>
Pose<S> relative_pose(const Model& model, const Workspace<S>& ws, int reference, int link) noexcept {
  return inverse(link_pose(model, ws, reference)) * link_pose(model, ws, link);
}

/// J v: how relative_pose moves, (angular velocity, velocity of the link's origin), 6 × nv row by row, in the axes of the link
/// (Axes::link) or of the reference (Axes::world, where the reference stands for the world). With the reference (ω, u) at r and
/// the link at p, the link turns by ω_l − ω and moves by u_l − u − ω × (p − r). After forward_kinematics with q; `work`: 6 ×
/// nv. O(depth), besides the zeros; no heap.
template <class S>
void relative_jacobian(const Model& model, const Workspace<S>& ws, int reference, int link, Axes axes, S* J, S* work) noexcept {
  const int nv = model.nv;
  point_jacobian(model, ws, link, Axes::world, zero3<double>(), J);
  point_jacobian(model, ws, reference, Axes::world, zero3<double>(), work);
  const Pose<S> to = link_pose(model, ws, link), from = link_pose(model, ws, reference);
  const Mat3<S> turn = transpose(axes == Axes::link ? to.R : from.R);
  const auto column = [nv](const S* matrix, int row, int c) {
    return Vec3<S>{{matrix[row * nv + c], matrix[(row + 1) * nv + c], matrix[(row + 2) * nv + c]}};
  };
  for (int c = 0; c < nv; ++c) {
    const Vec3<S> w = column(work, 0, c), moved = column(work, 3, c) + cross(w, to.d - from.d);
    const Vec3<S> angular = turn * (column(J, 0, c) - w), linear = turn * (column(J, 3, c) - moved);
    for (int k = 0; k < 3; ++k) J[k * nv + c] = angular[k], J[(3 + k) * nv + c] = linear[k];
  }
}

/// The kinematic Hessian: entry [i, j, k] is ∂J[i, j]/∂q_k of point_jacobian, q along the tangent q ⊕ δ; 6 × nv × nv row by
/// row. Writes ws, whose velocities are then those of
/// the last freedom alone. `work`: 7 × nv. O(n²); no heap.
template <class S>
void jacobian_derivative(const Model& model, Workspace<S>& ws, const S* q, int link, Axes axes, const Vec3<double>& point,
                         S* derivative, S* work) noexcept {
  detail::derivatives_by_unit_velocities(
      model, ws, q, 6 * model.nv,
      [&](const Workspace<S>& at, S* rate) { point_jacobian_rate(model, at, link, axes, point, rate); }, derivative, work);
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
