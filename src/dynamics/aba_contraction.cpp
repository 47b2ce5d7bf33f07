#include "sparsedyn/dynamics/aba_contraction.hpp"

namespace sparsedyn {

template DynamicsStatus aba_contraction(const Model&, AbaContractionWorkspace<double>&, const double*, const double*,
                                        const double*, const Force<double>*, const double*, const AbaDerivatives<double>&,
                                        const AbaContraction<double>&) noexcept;

}  // namespace sparsedyn
