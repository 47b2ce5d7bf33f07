#include "sparsedyn/dynamics/second_derivatives.hpp"

namespace sparsedyn {

template DynamicsStatus aba_contraction(const Model&, AbaContractionWorkspace<double>&, const double*, const double*,
                                        const double*, const Force<double>*, const double*, const AbaDerivatives<double>&,
                                        const AbaContraction<double>&) noexcept;

}  // namespace sparsedyn
