#include "sparsedyn/dynamics/second_derivatives.hpp"

namespace sparsedyn {

template class SecondDerivatives<double>;
template void rnea_second_derivatives(const Model&, SecondWorkspace<double>&, const double*, const double*, const double*,
                                      const Force<double>*, SecondDerivatives<double>&) noexcept;

}  // namespace sparsedyn
