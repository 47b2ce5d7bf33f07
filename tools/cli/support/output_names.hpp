// --outputs: which columns a user asks for.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn::cli {

/// The items of a list separated by commas; an item with a comma in it stands in double quotes. Throws UsageError where one is
/// empty.
std::vector<std::string> listed(const std::string& option, const std::string& list);

/// One flag an unknown: an exact row says what it is.
std::vector<bool> held_exactly(const System& system);

/// Without --outputs: the torques and joint accelerations that the set does not hold exactly.
std::vector<std::string> default_outputs(const System& system);

}  // namespace sparsedyn::cli
