// Which algorithms need every joint to move mass.
#pragma once

#include <string>

namespace sparsedyn {

/// Whether the algorithm of that name solves for accelerations.
inline bool inverts_inertia(const std::string& algorithm) { return algorithm == "minverse" || algorithm.rfind("aba", 0) == 0; }

}  // namespace sparsedyn
