#include "sparsedyn/dynamics/second_derivatives.hpp"

namespace sparsedyn {

template void rnea_contraction(const Model&, ContractionWorkspace<double>&, const double*, const double*, const double*,
                               const Force<double>*, const double*, const Contraction<double>&) noexcept;

}  // namespace sparsedyn
