// Names with * (any letters, or none) and ? (one letter).
#pragma once

#include <string>
#include <string_view>

namespace sparsedyn {

bool has_wildcard(std::string_view text);

/// Whether the pattern stands for all of the name. A letter is a character of UTF-8. Cost: lengths multiplied, at most.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace sparsedyn
