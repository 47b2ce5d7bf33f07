// What `flops` counts for a sensor set that is estimated.
#pragma once

#include "flops_entries.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// One entry for each order of the augmented system that `optimise` compares (formulation "augmented"), the generated program,
/// and the augmented matrix before and after. `of`: the set's name. Throws RedundantExactRows, SingularSystem.
void add_augmented(const System& system, const std::string& of, FlopsReport& report);

}  // namespace sparsedyn
