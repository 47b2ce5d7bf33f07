// What hangs on a joint without a moving joint between: the links that a fixed joint carries.
#pragma once

#include <vector>

#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

class System;

/// Links that move as one.
struct RigidGroup {
  Inertia<double> inertia;  // in the frame of the link that leads the body (the world's for links fixed to it)
  std::vector<int> links;   // first the link asked for, then those behind it
  std::vector<int> bodies;  // bodies whose joints hang on these links
};

/// The rigid group behind a link that hangs on a fixed joint (or behind a root fixed to the world).
RigidGroup rigid_group_behind(const System& system, int link);

}  // namespace sparsedyn
