// --outputs: which columns a user asks for.
#pragma once

#include <string>
#include <vector>

#include "determinacy/held_exactly.hpp"
#include "sparsedyn/runtime/outputs.hpp"  // default_outputs

namespace sparsedyn::cli {

/// The items of a list separated by commas; an item with a comma in it stands in double quotes. Throws UsageError where one is
/// empty.
std::vector<std::string> listed(const std::string& option, const std::string& list);
/// The same, where the option was given: no items of an empty list.
std::vector<std::string> listed_if_given(const std::string& option, const std::string& list);

}  // namespace sparsedyn::cli
