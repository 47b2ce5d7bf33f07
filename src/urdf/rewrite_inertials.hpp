// A URDF with other inertias and all else as it was: comments, formatting, attributes that nobody reads.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

/// `text` with the <inertial> of each named link replaced: inertia in the link's frame; nothing where the link is to have none.
/// A link of the text that is not named stays untouched, to the byte.
std::string rewrite_inertials(const std::string& text, const std::map<std::string, std::optional<Inertia<double>>>& links);

}  // namespace sparsedyn
