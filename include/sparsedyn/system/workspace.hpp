// What System::assemble computes on its way; one a thread.
#pragma once

#include <optional>
#include <vector>

#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Numbers between the steps of an assembly, and what outputs read after it.
template <class S>
struct SystemWorkspace {
  /// Takes all memory.
  explicit SystemWorkspace(const System& system)
      : X(system.terms().size(), identity_pose<S>()),
        v(system.terms().size(), {zero3<S>(), zero3<S>()}),
        world(system.terms().size(), identity_pose<S>()),
        varying(system.varying_entries(), S(0.0)),
        tree(system.model()) {
    const Formulation& formulation = system.formulation();
    if (formulation.shifted) motion.resize(system.terms().size()), shift.resize(system.terms().size());
    if (!formulation.joint_space) return;
    joint_space.emplace(system.model().tree());
    const auto nv = static_cast<std::size_t>(system.model().tree().nv);
    bias.resize(nv), M.resize(nv * nv);
    wrench.resize(system.terms().size());
  }
  std::vector<Pose<S>> X;      // of each body's leading frame in its parent's (the world where there is none)
  std::vector<Motion<S>> v;    // velocity of each body's leading frame, in its axes
  std::vector<Pose<S>> world;  // of each body's leading frame in the world; kept where a sensor needs it
  std::vector<S> varying;      // entries that depend on the state, as they come
  TreeNumbers<S> tree;         // q and v of coupled joints
  // formulation `shifted`: the motion at q̈ = 0, and its acceleration as a spatial vector
  std::vector<BodyMotion<S>> motion;  // by body
  std::vector<Motion<S>> shift;       // likewise
  // formulation `joint-space`
  std::optional<Workspace<S>> joint_space;  // of the tree
  std::vector<S> bias, M;                   // of the tree: nv; nv × nv, row by row
  std::vector<Force<S>> wrench;             // the known wrench on each body
};

}  // namespace sparsedyn
