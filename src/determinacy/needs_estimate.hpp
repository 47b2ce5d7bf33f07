// Whether a sensor set is solved or estimated.
#pragma once

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Whether some sensor has a sigma.
bool has_noisy_rows(const System& system);

/// Whether samples are estimated, and not solved: the set knows more or less than the dynamics need, or offsets or priors weigh
/// against noise.
bool needs_estimate(const System& system);

}  // namespace sparsedyn
