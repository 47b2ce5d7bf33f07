// Tips to base: each joint passes on the wrenches of the bodies that it carries, and works by their part along its freedoms.
// Shared by rnea, regressor_times and what external wrenches ask of the joints.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// f_λ += f_i, carried to the parent's frame; tau_i = S_iᵀ f_i. After ws.pose (forward_pass); ws.force: each body's own wrench,
/// turned into what its joint passes on. tau: nv, written.
template <class S>
[[gnu::always_inline]] inline void wrench_pass(const Model& model, Workspace<S>& ws, S* tau) noexcept {
  for (int i = static_cast<int>(model.bodies.size()) - 1; i >= 0; --i) {
    const Body& body = model.bodies[i];
    joint_force(body, ws.force[i], tau);
    if (body.parent >= 0) ws.force[body.parent] = ws.force[body.parent] + to_parent(ws.pose[i], ws.force[i]);
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
