// Names for generated functions.
#pragma once

#include <string>

namespace sparsedyn {

/// Why `name` is no identifier that is free in C, C++, <math.h>, <string.h> and in the code that is generated, so that its
/// sources compile in both languages; "" where it is one.
std::string c_name_fault(const std::string& name);

}  // namespace sparsedyn
