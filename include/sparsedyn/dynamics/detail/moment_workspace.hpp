// What the derivative algorithms keep for each body: motion, second moments of the subtree, and the screws of its joint.
#pragma once

#include <vector>

#include "sparsedyn/dynamics/detail/force_column.hpp"
#include "sparsedyn/dynamics/detail/force_column_plan.hpp"
#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/scalar/detail/simd.hpp"

namespace sparsedyn {

/// Body i in its own frame, origin O_i; ρ: a point's position from O_i; rates ρ' relative to O_i. Accelerations are classical
/// and proper (gravity included). c is the point of the parent that coincides with O_i.
template <class S>
struct BodyMoments {
  Pose<S> pose;          // in the parent
  BodyMotion<S> motion;  // ω, α, a of O_i, U
  Vec3<S> w;             // velocity of O_i relative to the parent's origin, in parent coordinates
  // joints without a fixed axis only: the parent's motion in the axes of i, a_c for its origin's; velocity of O_i from c
  BodyMotion<S> parent;
  Vec3<S> v_joint;
  // moments of all mass m below the joint
  SimdMemory<S, 4> second[3];      // rows of Σ m ρρᵀ (fourth lane: zero)
  SimdMemory<S, 4> rate[3];        // rows of G = Σ m ρ ρ'ᵀ (fourth lane: zero)
  Vec3<SimdMemory<S, 4>> vectors;  // h = Σ m ρ | p = Σ m ρ' | F = Σ m (r'' − g) − f_x | N = Σ ρ × m (r'' − g) − n_x

  Vec3<S> vector(int k) const { return {{vectors[0][k], vectors[1][k], vectors[2][k]}}; }
  Vec3<S> h() const { return vector(0); }
  Vec3<S> p() const { return vector(1); }
  Vec3<S> F() const { return vector(2); }
  Vec3<S> N() const { return vector(3); }
};

/// One freedom e = z × ρ + l of a joint, fixed in the body, and how parent and body carry it: parent's rates z', z'' and
/// L2 = l'' − z × a_c; Zv = (ω + ω_parent) × z and Lv = (ω + ω_parent) × l + z × v_joint belong to its velocity.
template <class S>
struct Screw {
  Vec3<Constant<S>> z, l;
  Vec3<S> z1, z2, L2, Zv, Lv;
};

/// Allocated once for a model; one per thread. All algorithms that take it overwrite it.
template <class S>
struct MomentWorkspace {
  explicit MomentWorkspace(const Model& model)
      : bodies(model.bodies.size()),
        screws(model.tree().nv),
        mass(model.bodies.size()),
        plan(force_column_plan(model.tree())),
        force_columns(screws.size()),
        change(model.bodies.size()),
        tree(model, 4) {
    for (int i = static_cast<int>(model.bodies.size()) - 1; i >= 0; --i) {
      add_number<S>(model.bodies[i].inertia.m, mass[i]);
      if (model.bodies[i].parent >= 0) mass[model.bodies[i].parent] += mass[i];
    }
  }
  std::vector<BodyMoments<S>> bodies;
  std::vector<Screw<S>> screws;      // by entry of the tree's v
  std::vector<SubtreeMass<S>> mass;  // of the subtree (kg)
  ForceColumnPlan plan;
  std::vector<KeptWave<S>> force_columns;  // by entry of the tree's v
  // What accelerations add to a body's motion, and to the wrench of its subtree.
  struct Change {
    Motion<S> motion;
    Force<S> force;
  };
  std::vector<Change> change;
  TreeNumbers<S> tree;  // of coupled joints
};

}  // namespace sparsedyn
