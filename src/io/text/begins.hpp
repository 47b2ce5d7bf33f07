// Whether a text begins with another.
#pragma once

#include <string_view>

namespace sparsedyn {

inline bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

}  // namespace sparsedyn
