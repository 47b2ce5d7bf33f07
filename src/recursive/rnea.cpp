#include "sparsedyn/recursive/rnea.hpp"

namespace sparsedyn {

using complex = std::complex<double>;

template void rnea(const Model&, Workspace<double>&, const double*, const double*, const double*, const Force<double>*,
                   double*) noexcept;
template void rnea(const Model&, Workspace<float>&, const float*, const float*, const float*, const Force<float>*,
                   float*) noexcept;
template void rnea(const Model&, Workspace<complex>&, const complex*, const complex*, const complex*, const Force<complex>*,
                   complex*) noexcept;

}  // namespace sparsedyn
