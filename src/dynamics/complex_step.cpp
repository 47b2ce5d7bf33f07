// The algorithms for complex numbers, whose imaginary parts carry derivatives (complex steps). Apart from the other scalars:
// what makes those fast takes three times as long to compile for complex numbers, and nobody runs them in a loop.
#include <complex>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn {

using C = std::complex<double>;

template void rnea(const Model&, Workspace<C>&, const C*, const C*, const C*, const Force<C>*, C*) noexcept;
template DynamicsStatus aba(const Model&, Workspace<C>&, const C*, const C*, const C*, const Force<C>*, C*) noexcept;
template void crba(const Model&, Workspace<C>&, const C*, C*) noexcept;
template DynamicsStatus minverse(const Model&, Workspace<C>&, const C*, C*) noexcept;
template void coriolis(const Model&, CoriolisWorkspace<C>&, const C*, const C*, const CoriolisMatrices<C>&) noexcept;
template void hamilton(const Model&, CoriolisWorkspace<C>&, const C*, const C*, const C*, const Force<C>*, C*, C*) noexcept;
template void regressor(const Model&, RegressorWorkspace<C>&, const C*, const C*, const C*, C*) noexcept;
template void regressor_transposed_times(const Model&, RegressorWorkspace<C>&, const C*, const C*, const C*, const C*,
                                         C*) noexcept;
template void regressor_times(const Model&, RegressorWorkspace<C>&, const C*, const C*, const C*, const C*, C*) noexcept;

}  // namespace sparsedyn
