#include "sparsedyn/recursive/aba.hpp"

namespace sparsedyn {

using complex = std::complex<double>;

template DynamicsStatus aba(const Model&, Workspace<double>&, const double*, const double*, const double*, const Force<double>*,
                            double*) noexcept;
template DynamicsStatus aba(const Model&, Workspace<float>&, const float*, const float*, const float*, const Force<float>*,
                            float*) noexcept;
template DynamicsStatus aba(const Model&, Workspace<complex>&, const complex*, const complex*, const complex*,
                            const Force<complex>*, complex*) noexcept;

}  // namespace sparsedyn
