// The larger of two numbers where one that is no number must be seen.
#pragma once

namespace sparsedyn {

/// NaN if either is; std::max drops b then.
inline double larger(double a, double b) noexcept { return a >= b || a != a ? a : b; }

}  // namespace sparsedyn
