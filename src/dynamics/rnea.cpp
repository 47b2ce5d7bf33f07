#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn {

#define SPARSEDYN_DEFINE(S) \
  template void rnea(const Model&, Workspace<S>&, const S*, const S*, const S*, const Force<S>*, S*) noexcept;
SPARSEDYN_FOR_EACH_REAL(SPARSEDYN_DEFINE)

template void gravity_torques(const Model&, Workspace<double>&, const double*, double*) noexcept;

}  // namespace sparsedyn
