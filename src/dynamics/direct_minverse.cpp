#include "sparsedyn/dynamics/direct_minverse.hpp"

namespace sparsedyn {

template DynamicsStatus direct_minverse(const Model&, DirectMinverseWorkspace<double>&, const double*, double*) noexcept;

}  // namespace sparsedyn
