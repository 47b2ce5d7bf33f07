// Forward dynamics on the way to its derivatives: what the moment passes know at a = 0 gives bias and M, and once M q̈ = τ −
// bias is solved, only accelerations and wrenches need to be brought up to date.
#pragma once

#include "sparsedyn/recursive/aba.hpp"
#include "sparsedyn/recursive/packed_ltdl.hpp"
#include "sparsedyn/recursive/rnea_derivatives.hpp"

namespace sparsedyn {
namespace detail {

/// Rows of M: row i is (n, f) = Σ (ρ × m e, m e) of freedom i, carried to each ancestor.
template <class S>
void inertia_from_moments(const Model& model, const MomentWorkspace<S>& ws, PackedLtdl<S>& M) {
  const BranchRows& rows = M.rows();
  M.clear();
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
    const Body& body = model.bodies[i];
    const BodyMoments<S>& x = ws.bodies[i];
    for (int c = 0; c < freedoms(body.joint); ++c) {
      const Motion<Constant<S>> e = cast<Constant<S>>(motion_subspace(body, c));
      Force<S> y{inertia_times(x.second, e.w) + cross(x.h(), e.v), cross(e.w, x.h()) + ws.mass[i] * e.v};
      S* row = M.row(body.v + c);
      S own[6];
      force_on_freedoms(body, y, own);
      std::copy_n(own, c + 1, row + rows.depth(body.v));
      for (int j = i; model.bodies[j].parent >= 0;) {
        y = to_parent(ws.bodies[j].pose, y);
        j = model.bodies[j].parent;
        force_on_freedoms(model.bodies[j], y, row + rows.depth(model.bodies[j].v));
      }
    }
  }
}

/// After moment_passes at other accelerations: α, a, U of every body, F and N of every subtree for a.
template <class S>
void accelerate(const Model& model, MomentWorkspace<S>& ws, const S* v, const S* a, const Force<S>* fx) {
  const BodyMotion<S> world = world_motion<S>(model);
  const int n = static_cast<int>(model.bodies.size());
  const auto set_wrench = [](BodyMoments<S>& x, const Vec3<S>& F, const Vec3<S>& N) {
    for (int r = 0; r < 3; ++r) x.vectors[r] = lanes(S(x.vectors[r][0]), S(x.vectors[r][1]), F[r], N[r]);
  };
  for (int i = 0; i < n; ++i) {
    const Body& body = model.bodies[i];
    BodyMoments<S>& x = ws.bodies[i];
    const BodyMotion<S>& parent = body.parent < 0 ? world : ws.bodies[body.parent].motion;
    if (body.joint == BodyJoint::revolute) {
      x.motion = revolute_motion(parent, x.pose, v[body.v], a[body.v]);
    } else {
      const Motion<S> still{zero3<S>(), zero3<S>()};
      x.motion = body_motion(parent, x.pose, joint_motion(body, v), joint_motion(body, a));
      if (!has_fixed_axis(body.joint)) x.parent = body_motion(parent, x.pose, still, still);
    }
    Force<S> f = inertial_wrench(cast<Constant<S>>(body.inertia), x.motion);
    if (fx) f = f - fx[i];
    set_wrench(x, f.f, f.n);
  }
  for (int i = n - 1; i > 0; --i) {
    if (model.bodies[i].parent < 0) continue;
    const BodyMoments<S>& x = ws.bodies[i];
    BodyMoments<S>& up = ws.bodies[model.bodies[i].parent];
    const Force<S> f = to_parent(x.pose, Force<S>{x.N(), x.F()});
    set_wrench(up, up.F() + f.f, up.N() + f.n);
  }
}

}  // namespace detail

/// a = FD(q, v, tau, fx); the moments are then those at a, and `factors` those of M. zero: nv zeros. If M is singular the
/// entry of v nearest to the tips at which it is so is returned.
template <class S>
DynamicsStatus accelerations_from_moments(const Model& model, MomentWorkspace<S>& ws, const S* zero, const S* q, const S* v,
                                          const S* tau, const Force<S>* fx, PackedLtdl<S>& factors, S* a) noexcept {
  moment_passes(model, ws, q, v, zero, fx);
  detail::inertia_from_moments(model, ws, factors);
  DynamicsStatus status;
  status.singular = factors.factor();
  if (!status.ok()) return status;
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    joint_force(model.bodies[b], Force<S>{ws.bodies[b].N(), ws.bodies[b].F()}, a);
  for (int k = 0; k < model.nv; ++k) a[k] = tau[k] - a[k];
  factors.solve(a);
  detail::accelerate(model, ws, v, a, fx);
  return status;
}

}  // namespace sparsedyn
