// Names of the elements of a port that is a plain vector.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sparsedyn {

/// NAME.0, NAME.1, …
std::vector<std::string> numbered(const std::string& name, std::size_t count);

}  // namespace sparsedyn
