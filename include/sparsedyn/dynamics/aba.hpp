// Forward dynamics: the articulated-body algorithm (Featherstone 1983) on shifted unknowns. Accelerations and wrenches are
// measured from those at zero joint acceleration, which inverse dynamics gives. The remaining problem does not depend on
// velocities: these wrenches enter the elimination unchanged, and the accelerations δα, δa are transformed by X alone.
#pragma once

#include "sparsedyn/dynamics/detail/eliminate.hpp"
#include "sparsedyn/dynamics/detail/forward_pass.hpp"
#include "sparsedyn/dynamics/detail/instantiate.hpp"
#include "sparsedyn/dynamics/detail/joined_elimination.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"
#include "sparsedyn/dynamics/detail/swamped_pivots.hpp"

namespace sparsedyn {

namespace detail {
inline namespace SPARSEDYN_CODE {

/// For coupled joints: tau minus the joints' own terms and minus the torques at zero accelerations.
template <class S>
DynamicsStatus accelerations_of_coupled(const CoordinateMap& map, Workspace<S>& ws, const S* q, const S* v, const S* tau,
                                        const Force<S>* fx, S* a) noexcept {
  TreeNumbers<S>& t = ws.tree;
  forward_pass(map.tree, ws, tree_positions(map, q, t.q.data()), tree_rates(map, v, t.v.data()), static_cast<const S*>(nullptr),
               fx);
  for (std::size_t i = 0; i < map.tree.bodies.size(); ++i)
    ws.inertia[i] = with_inertia<S>(map.tree.bodies[i].inertia, [](const auto& I) { return articulated<S>(I); });
  std::fill(t.tau.begin(), t.tau.end(), S(0.0));
  add_joint_torques(map.tree, static_cast<const S*>(t.q.data()), static_cast<const S*>(t.v.data()),
                    static_cast<const S*>(nullptr), t.tau.data());
  gather_rows(map, 1, t.tau.data(), t.a.data());
  for (std::size_t k = 0; k < map.joined.size(); ++k) t.a[k] = tau[k] - t.a[k];
  JoinedElimination<S> elimination(map, ws);
  DynamicsStatus status;
  status.singular = elimination.factor();
  elimination.solve(t.a.data(), a);
  return status;
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

/// a = M(q)⁻¹ (tau − bias(q, v) + Σ Jᵀ fx).
/// q: nq; v, tau: nv; fx: one wrench a body, of the world on the body, in the body's frame about its origin, or nullptr;
/// a: nv, written. SI units. O(n), no heap; with coupled joints O(n) where followers are near their leaders.
/// If a joint's equation is singular, its first entry of v is returned and a must not be used. Scalars without values (recorded
/// expressions, counters) are not checked.
template <class S>
DynamicsStatus aba(const Model& model, Workspace<S>& ws, const S* q, const S* v, const S* tau, const Force<S>* fx,
                   S* a) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get(); seldom(map))
    return detail::accelerations_of_coupled(*map, ws, q, v, tau, fx, a);
  DynamicsStatus status;
  const int n = static_cast<int>(model.bodies.size());
  const S* const driving = without_joint_torques(model, q, v, tau, a);
  forward_pass(model, ws, q, v, static_cast<const S*>(nullptr), fx);
  for (int i = 0; i < n; ++i)
    ws.inertia[i] = with_inertia<S>(model.bodies[i].inertia, [](const auto& I) { return articulated<S>(I); });

  LargestCarried<S> largest;
  const bool geared = !model.physics.empty();  // few robots are: asked once
  // tips to base: eliminate the joint's freedoms, hand the rest to the parent. These are eliminate_joint and carried_to_parent,
  // written out so that one question, `free`, answers for both: that saves 3 to 6 % of the time.
  for (int i = n - 1; i >= 0; --i) {
    const Body& body = model.bodies[i];
    const double armature = seldom(geared) ? model.physics[body.v].armature : 0.0;
    largest.note(ws.inertia[i]);
    const bool free = leaves_axis_free(body, armature);
    const int singular = free ? eliminate_revolute(body, ws.inertia[i], ws.force[i], driving, ws.freedom.data())
                              : eliminate_freedoms(body, armature, ws.inertia[i], ws.force[i], driving, ws.freedom.data());
    if (status.ok()) status.singular = singular;  // the one nearest to the tips: those before it only inherit its fault
    if (body.parent < 0) continue;
    ws.force[body.parent] = ws.force[body.parent] + to_parent(ws.pose[i], ws.force[i]);
    ws.inertia[body.parent] = ws.inertia[body.parent] +
                              (free ? to_parent_free_about_z(ws.pose[i], ws.inertia[i]) : to_parent(ws.pose[i], ws.inertia[i]));
  }

  if (status.ok()) status.singular = swamped_freedom(model, ws, largest, driving);

  // base to tips: (δα, δa)_i = X (δα, δa)_λ + S q̈, kept in ws.motion
  for (int i = 0; i < n; ++i) {
    const Body& body = model.bodies[i];
    Motion<S> delta{zero3<S>(), zero3<S>()};
    if (body.parent >= 0) delta = to_child(ws.pose[i], Motion<S>{ws.motion[body.parent].al, ws.motion[body.parent].a});
    joint_acceleration(body, ws.freedom.data(), delta, a);
    ws.motion[i].al = delta.w;
    ws.motion[i].a = delta.v;
  }
  return status;
}

#define SPARSEDYN_DECLARE(S) \
  extern template DynamicsStatus aba(const Model&, Workspace<S>&, const S*, const S*, const S*, const Force<S>*, S*) noexcept;
SPARSEDYN_FOR_EACH_SCALAR(SPARSEDYN_DECLARE)
#undef SPARSEDYN_DECLARE

}  // namespace sparsedyn
