#include "sparsedyn/dynamics/detail/direct_minverse.hpp"

namespace sparsedyn {

template DynamicsStatus direct_minverse(const Model&, DirectMinverseWorkspace<double>&, const double*, double*) noexcept;

}  // namespace sparsedyn
