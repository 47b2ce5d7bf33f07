#include "sparsedyn/dynamics/derivatives.hpp"

namespace sparsedyn {

template void rnea_derivatives(const Model&, MomentWorkspace<double>&, const double*, const double*, const double*,
                               const Force<double>*, const RneaDerivatives<double>&) noexcept;

}  // namespace sparsedyn
