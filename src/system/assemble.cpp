#include "sparsedyn/system/assemble.hpp"

namespace sparsedyn {

template void System::assemble(const double*, const double*, const double*, double*, double*,
                               SystemWorkspace<double>&) const noexcept;

}  // namespace sparsedyn
