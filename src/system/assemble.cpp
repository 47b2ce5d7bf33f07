#include "system/assemble.hpp"

namespace sparsedyn {

template void System::assemble(const double*, const double*, const double*, double*, double*,
                               SystemWorkspace<double>&) const noexcept;

template void System::assemble(const float*, const float*, const float*, float*, float*,
                               SystemWorkspace<float>&) const noexcept;

template void System::unshift(double*, const SystemWorkspace<double>&) const noexcept;
template void System::unshift(float*, const SystemWorkspace<float>&) const noexcept;

}  // namespace sparsedyn
