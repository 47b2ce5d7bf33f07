#pragma once

#include "sparsedyn/sparse/lu_program.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Entries of the system that are ±1 at every state: pivots among them need no division.
UnitEntries unit_entries(const System& system);

}  // namespace sparsedyn
