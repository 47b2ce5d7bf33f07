// Jacobians of links: which spatial velocity each freedom gives them (Featherstone, Rigid Body Dynamics Algorithms, 2008).
#pragma once

#include "sparsedyn/code.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// Axes in which a link's velocity is written; its linear part is always that of the link's origin.
enum class Axes { link, world };

/// J, 6 × nv row by row, angular rows first: velocity of the link = J v. All entries written, zero for freedoms that do not
/// move the link. After forward_kinematics. `link`: index in Model::links. O(depth), besides the zeros.
template <class S>
void link_jacobian(const Model& model, const Workspace<S>& ws, int link, Axes axes, S* J) noexcept {
  const int nv = model.nv;
  for (int i = 0; i < 6 * nv; ++i) J[i] = S(0.0);
  const Link& l = model.links[link];
  Pose<S> below = cast<S>(cast<Constant<S>>(l.pose));  // of the link in body k
  if (axes == Axes::world && l.body >= 0) below.R = transpose(ws.world_pose[l.body].R);
  const Model& tree = model.tree();  // J = J_t G
  for (int k = l.body; k >= 0; k = tree.bodies[k].parent) {
    const Body& body = tree.bodies[k];
    for (int c = 0; c < freedoms(body.joint); ++c) {
      const Motion<S> column = to_child(below, cast<Constant<S>>(motion_subspace(body, c)));
      const CoordinateMap::Entry at = entry_of(model, body.v + c);
      for (int r = 0; r < 3; ++r) {
        add_times(at.multiplier, column.w[r], J[r * nv + at.index]);
        add_times(at.multiplier, column.v[r], J[(3 + r) * nv + at.index]);
      }
    }
    below = ws.pose[k] * below;
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
