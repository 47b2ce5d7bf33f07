#include "sparsedyn/spatial/detail/sin_cos.hpp"

namespace sparsedyn {

SinCos<double> sines(double x) noexcept { return sin_cos(x); }

}  // namespace sparsedyn
