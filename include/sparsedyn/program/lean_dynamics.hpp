// Inverse and forward dynamics on a LeanTree. Templates on the scalar; meant to be recorded, so they allocate.
#pragma once

#include "sparsedyn/program/lean_motion.hpp"
#include "sparsedyn/recursive/articulated_inertia.hpp"

namespace sparsedyn {

/// tau = M(q) a + bias(q, v) − Σ Jᵀ fx; a, fx = nullptr mean zero. q: nq; v, a, tau: nv; fx: one a body, in its frame of the
/// tree.
template <class S>
std::vector<S> lean_rnea(const LeanTree& tree, const S* q, const S* v, const S* a, const Force<S>* fx = nullptr) {
  LeanMotion<S> m = lean_forward_pass(tree, q, v, a, fx);
  std::vector<S> tau(static_cast<std::size_t>(tree.nv));
  for (std::size_t i = tree.bodies.size(); i-- > 0;) {
    const LeanBody& b = tree.bodies[i];
    const Force<S>& x = m.force[i];
    if (b.joint == BodyJoint::floating)
      for (int k = 0; k < 3; ++k) tau[b.v + k] = x.n[k], tau[b.v + 3 + k] = x.f[k];
    else
      tau[b.v] = b.joint == BodyJoint::revolute ? x.n[2] : x.f[2];
    if (b.parent >= 0) m.force[b.parent] = m.force[b.parent] + lean_to_parent(b, m.turn[i], q[b.q], x);
  }
  return tau;
}

}  // namespace sparsedyn
