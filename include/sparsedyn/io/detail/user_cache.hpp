#pragma once

#include <string>

namespace sparsedyn {

/// $XDG_CACHE_HOME/sparsedyn, or else $HOME/.cache/sparsedyn (XDG Base Directory Specification); empty where neither is set.
std::string user_cache_folder();

}  // namespace sparsedyn
