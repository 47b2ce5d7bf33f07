// Whose plan it is.
#pragma once

#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Writes the system's fingerprints and formulation into its plan.
void sign(Plan& plan, const System& system);

/// Throws SingularSystem, which names the unknown of that column (-1: none is known).
[[noreturn]] void refuse_singular(const System& system, int column);

}  // namespace sparsedyn
