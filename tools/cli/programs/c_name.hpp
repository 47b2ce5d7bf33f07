// Names for generated functions.
#pragma once

#include <string>

namespace sparsedyn::cli {

/// Throws UsageError unless `name` is an identifier that is free in C, C++, <math.h>, <string.h> and in the code that
/// `generate` writes, so that its sources compile in both languages.
void check_c_name(const std::string& name);

}  // namespace sparsedyn::cli
