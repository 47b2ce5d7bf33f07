// What System::assemble computes on its way; one a thread.
#pragma once

#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

template <class S>
struct SystemWorkspace {
  explicit SystemWorkspace(const System& system)
      : X(system.terms().size(), identity_pose<S>()),
        v(system.terms().size(), {zero3<S>(), zero3<S>()}),
        world(system.terms().size(), identity_pose<S>()),
        varying(system.varying_entries(), S(0.0)) {}
  std::vector<Pose<S>> X;      // of each body's leading link in its parent's leading link (the world where there is none)
  std::vector<Motion<S>> v;    // velocity of each body's leading link, in its frame
  std::vector<Pose<S>> world;  // of each body's leading link in the world; kept where a sensor needs it
  std::vector<S> varying;      // entries that depend on the state, as they come
};

}  // namespace sparsedyn
