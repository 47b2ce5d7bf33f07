// Inverse and forward dynamics on a MinimalTree. Templates on the scalar; meant to be recorded, so they allocate.
#pragma once

#include "minimal_motion.hpp"
#include "sparsedyn/dynamics/detail/articulated_inertia.hpp"

namespace sparsedyn {

/// tau = M(q) a + bias(q, v) − Σ Jᵀ fx; a, fx = nullptr mean zero. q: nq; v, a, tau: nv; fx: one a body, in its frame of the
/// tree, whose unit then is 1 m.
template <class S>
std::vector<S> minimal_rnea(const MinimalTree& tree, const S* q_m, const S* v_m, const S* a_m, const Force<S>* fx = nullptr) {
  const std::vector<S> q_unit = coordinates_in_unit(tree, q_m), v_unit = linear_scaled(tree, v_m, 1 / tree.unit);
  const std::vector<S> a_unit = a_m ? linear_scaled(tree, a_m, 1 / tree.unit) : std::vector<S>();
  const S* q = q_unit.data();
  MinimalMotion<S> m = minimal_forward_pass(tree, q, v_unit.data(), a_m ? a_unit.data() : nullptr, fx);
  std::vector<S> tau(static_cast<std::size_t>(tree.nv));
  for (std::size_t i = tree.bodies.size(); i-- > 0;) {
    const MinimalBody& b = tree.bodies[i];
    const Force<S>& x = m.force[i];
    if (b.joint == BodyJoint::floating)
      for (int k = 0; k < 3; ++k) tau[b.v + k] = x.n[k], tau[b.v + 3 + k] = x.f[k];
    else
      tau[b.v] = b.joint == BodyJoint::revolute ? x.n[2] : x.f[2];
    if (b.parent >= 0) m.force[b.parent] = m.force[b.parent] + minimal_to_parent(m.pose[i], x);
  }
  return linear_scaled(tree, tau.data(), 1 / tree.unit);
}

}  // namespace sparsedyn
