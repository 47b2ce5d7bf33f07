// Forward dynamics of a robot that lacks the inertia for it.
#pragma once

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Throws SingularSystem, which names accelerations, where the set is forward dynamics (all torques and wrenches exactly,
/// nothing else) and this robot lacks the inertia for an answer at any state: a joint that moves nothing, a floating root
/// without mass. Cost: nothing where every body has mass, else that of determinacy().
void require_inertia(const System& system);

}  // namespace sparsedyn
