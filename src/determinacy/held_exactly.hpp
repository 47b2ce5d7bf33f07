// Unknowns that an exact sensor states.
#pragma once

#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// One flag an unknown: an exact row says what it is.
std::vector<bool> held_exactly(const System& system);

}  // namespace sparsedyn
