#pragma once

#include <string>

namespace sparsedyn {

/// C of @_sincos(angle, sine, cosine, n), `@` for the program's name: n sines and cosines, one angle after the other, in plain
/// C without extensions. Returns 0 if an angle is too large, or no number. single: of floats.
std::string scalar_kernel(bool single);

}  // namespace sparsedyn
