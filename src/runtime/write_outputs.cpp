#include "write_outputs.hpp"

namespace sparsedyn {

template void Outputs::write<double>(const double*, const double*, const SystemWorkspace<double>&, double*) const noexcept;
template void Outputs::gradient<double>(int, const double*, const SystemWorkspace<double>&, double*, double*) const noexcept;

}  // namespace sparsedyn
