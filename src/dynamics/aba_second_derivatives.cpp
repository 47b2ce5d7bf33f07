#include "sparsedyn/dynamics/second_derivatives.hpp"

namespace sparsedyn {

template DynamicsStatus aba_second_derivatives(const Model&, AbaSecondWorkspace<double>&, const double*, const double*,
                                               const double*, const Force<double>*, const AbaDerivatives<double>&,
                                               const AbaSecondDerivatives<double>&, AbaSecondMethod) noexcept;

}  // namespace sparsedyn
