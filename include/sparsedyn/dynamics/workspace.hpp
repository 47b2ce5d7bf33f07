// What the recursive algorithms keep between their passes, and what became of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/articulated_inertia.hpp"
#include "sparsedyn/dynamics/detail/composite/carried_columns.hpp"
#include "sparsedyn/dynamics/detail/joined_plan.hpp"
#include "sparsedyn/dynamics/detail/packed_ltdl.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {

/// Motion of a body in its own frame, by quantities in which the equations are short:
///   w   angular velocity ω
///   U   [α]× + [ω]×², so that a point ρ of the body has the acceleration a + U ρ
///   al  angular acceleration α
///   a   classical proper acceleration of the frame's origin, r-double-dot − g: no linear velocity is ever needed
template <class S>
struct BodyMotion {
  Vec3<S> w, al, a;  // ω, α, a
  Mat3<S> U;         // [α]× + [ω]×²
};

/// One freedom of a joint after it was eliminated from the articulated-body equations.
template <class S>
struct EliminatedFreedom {
  Force<S> U;  // I^A S: the wrench that a unit acceleration of this freedom takes
  S inverse;   // 1 / (Sᵀ I^A S)
  S u;         // what the torque leaves for the acceleration
};

namespace detail {
inline namespace SPARSEDYN_CODE {

/// Of the coordinates that joined freedoms of a tree make: row k of M = GᵀM_tG has entries where a freedom that k moves lies on
/// the way to the world of one that j moves, or the other way round. Elimination from the last on hands what is left of a row
/// to the last before it (the elimination tree; Liu 1990), so that the factors of M have rows along these ways again.
inline std::vector<int> joined_parents(const CoordinateMap& map, const std::vector<int>& tree_parent) {
  std::vector<std::set<int>> row(map.joined.size());
  for (std::size_t k = 0; k < tree_parent.size(); ++k)
    for (int up = tree_parent[k]; up >= 0; up = tree_parent[static_cast<std::size_t>(up)]) {
      const auto [low, high] = std::minmax({map.v[k].index, map.v[static_cast<std::size_t>(up)].index});
      if (low != high) row[static_cast<std::size_t>(high)].insert(low);
    }
  std::vector<int> parent(row.size(), -1);
  for (std::size_t k = row.size(); k-- > 0;) {
    if (row[k].empty()) continue;
    parent[k] = *row[k].rbegin();
    row[k].erase(parent[k]);
    row[static_cast<std::size_t>(parent[k])].insert(row[k].begin(), row[k].end());
  }
  return parent;
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// For each entry of v the entry before it on the way to the world, or -1: within a joint the one before, then the last of
/// the parent body. Where joints are coupled, the entry before it in the factors of M.
inline std::vector<int> parent_freedoms(const Model& model) {
  if (model.coordinate_map) return detail::joined_parents(*model.coordinate_map, parent_freedoms(model.tree()));
  std::vector<int> parent(static_cast<std::size_t>(model.nv));
  for (const Body& body : model.bodies)
    for (int j = body.v; j < body.v + freedoms(body.joint); ++j) {
      const Body* up = body.parent < 0 ? nullptr : &model.bodies[body.parent];
      parent[j] = j > body.v ? j - 1 : up ? up->v + freedoms(up->joint) - 1 : -1;
    }
  return parent;
}

/// The size of the diagonal of M at a body's freedom, from the mass of all it carries and the diagonal of its second moments
/// about the body's origin: mass, or the trace of the rotational inertia, with which aba compares its pivots too.
template <class S>
S size_along(BodyJoint joint, int freedom, const Vec3<S>& moments, const S& mass) {
  return is_shift(joint, freedom) ? mass : S(2.0) * (moments[0] + moments[1] + moments[2]);
}

/// At all freedoms of a body.
template <class S>
void set_sizes(const Body& body, const Vec3<S>& moments, const S& mass, PackedLtdl<S>& M) {
  if constexpr (Magnitude<S>::exists) {
    for (int c = 0; c < freedoms(body.joint); ++c) M.size(body.v + c) = size_along(body.joint, c, moments, mass);
  }
}

}  // namespace SPARSEDYN_CODE

/// What became of an elimination. `singular`: the first entry of v, from the tips, whose Sᵀ I^A S was zero (to rounding) or not
/// finite, or -1.
struct DynamicsStatus {
  int singular = -1;                               // entry of v, or -1
  bool ok() const { return singular < 0; }         // every joint could be solved for
  explicit operator bool() const { return ok(); }  // ok()
};

/// Allocated once from a Model; one a thread. Arrays are indexed by body, or by entry of v (of the tree's,
/// where joints are coupled).
template <class S>
struct Workspace {
  /// Takes all memory; one a thread. The model is not kept.
  explicit Workspace(const Model& model)
      : pose(model.bodies.size()),
        motion(model.bodies.size()),
        force(model.bodies.size()),
        inertia(model.bodies.size()),
        composite(model.bodies.size()),
        carried(model.tree()),
        freedom(static_cast<std::size_t>(model.tree().nv)),
        world_pose(model.bodies.size()),
        velocity(model.bodies.size()),
        acceleration(model.bodies.size()),
        parent_freedom(parent_freedoms(model)),
        tree_parent_freedom(parent_freedoms(model.tree())),
        factors(parent_freedom),
        inverse(model.nv, model.nv),
        tree(model, 1),
        joined(model) {}

  std::vector<Pose<S>> pose;                   // of the body in its parent's body frame
  std::vector<BodyMotion<S>> motion;           // of the body
  std::vector<Force<S>> force;                 // wrench from the parent on the body, in the body's frame
  std::vector<ArticulatedInertia<S>> inertia;  // articulated-body inertia, in the body's frame
  std::vector<Inertia<S>> composite;           // inertia of the body and all it carries, in the body's frame
  CarriedColumns<S> carried;                   // columns of M on their way to the base
  std::vector<EliminatedFreedom<S>> freedom;   // what aba leaves of each

  // Filled by forward_kinematics alone:
  std::vector<Pose<S>> world_pose;      // of the body in the world
  std::vector<Motion<S>> velocity;      // spatial, in the body's frame
  std::vector<Motion<S>> acceleration;  // spatial, in the body's frame, −g of the world included

  // For the joint-space matrices: the freedom (entry of v) that carries each freedom, or -1; the factors of M and its inverse.
  std::vector<int> parent_freedom, tree_parent_freedom;  // the tree's differs where joints are coupled
  PackedLtdl<S> factors;                                 // M = Lᵀ D L
  PaddedRows<S> inverse;                                 // M⁻¹, nv × nv

  TreeNumbers<S> tree;        // of coupled joints
  JoinedWorkspace<S> joined;  // what aba leaves of them
};

}  // namespace sparsedyn
