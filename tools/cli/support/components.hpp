// What this build of the program has.
#pragma once

#include <string>

namespace sparsedyn::cli {

/// Throws UsageError where this build lacks the component codegen, which `what` (an option) needs.
void require_codegen(const std::string& what);

}  // namespace sparsedyn::cli
