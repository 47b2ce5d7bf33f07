// The hand-written part of generated inverse dynamics under contacts: the forces between the two stages.
#pragma once

#include <string>

namespace sparsedyn {

/// The function itself, after the stages and the helpers. `wrenches`: with the input fx.
std::string inverse_function(bool wrenches, bool loops);

/// The same of @_LANES samples: @_lanes(arg, res, n, s, status), samples s and on of n, which returns how many of them have no
/// results. Without loops; after the stages and the helpers in lanes.
std::string inverse_lanes(bool wrenches);

}  // namespace sparsedyn
