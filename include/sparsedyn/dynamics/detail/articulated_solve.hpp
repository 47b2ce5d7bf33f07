// M⁻¹ x in O(n) with the factors that the articulated-body algorithm leaves behind; M is never formed.
#pragma once

#include "sparsedyn/code.hpp"
#include "sparsedyn/dynamics/aba.hpp"

namespace sparsedyn {
namespace detail {
inline namespace SPARSEDYN_CODE {

/// u = x − Sᵀ p, p ← p + U D⁻¹ u for each freedom of a joint eliminated before. p: the wrench on the body from below.
template <class S>
void spread_torque(const Body& body, const S* x, EliminatedFreedom<S>* freedom, Force<S>& p) {
  for (int k = freedoms(body.joint) - 1; k >= 0; --k) {
    const int j = body.v + k;
    EliminatedFreedom<S>& e = freedom[j];
    e.u = x[j] - along_freedom(body, Constant<S>(body.pitch), k, p);
    const S scale = e.inverse * e.u;
    p = {p.n + scale * e.U.n, p.f + scale * e.U.f};
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// x ← M⁻¹ x (nv), after aba with the same workspace: forward dynamics without velocities, gravity and external wrenches.
template <class S>
void articulated_solve(const Model& model, Workspace<S>& ws, S* x) noexcept {
  const int n = static_cast<int>(model.bodies.size());
  const Vec3<S> o = zero3<S>();
  for (int i = 0; i < n; ++i) ws.force[i] = {o, o};
  for (int i = n - 1; i >= 0; --i) {
    const Body& body = model.bodies[i];
    detail::spread_torque(body, x, ws.freedom.data(), ws.force[i]);
    if (body.parent >= 0) ws.force[body.parent] = ws.force[body.parent] + to_parent(ws.pose[i], ws.force[i]);
  }
  for (int i = 0; i < n; ++i) {
    const Body& body = model.bodies[i];
    Motion<S> delta{o, o};
    if (body.parent >= 0) delta = to_child(ws.pose[i], Motion<S>{ws.motion[body.parent].al, ws.motion[body.parent].a});
    joint_acceleration(body, ws.freedom.data(), delta, x);
    ws.motion[i].al = delta.w;
    ws.motion[i].a = delta.v;
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
