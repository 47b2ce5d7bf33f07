#include "sparsedyn/dynamics/derivatives.hpp"

namespace sparsedyn {

template DynamicsStatus aba_derivatives(const Model&, AbaDerivativeWorkspace<double>&, const double*, const double*,
                                        const double*, const Force<double>*, const AbaDerivatives<double>&,
                                        AbaDerivativeMethod) noexcept;

}  // namespace sparsedyn
