#include "sparsedyn/dynamics/coriolis.hpp"

namespace sparsedyn {

#define SPARSEDYN_DEFINE(S)                                                                                             \
  template void coriolis(const Model&, CoriolisWorkspace<S>&, const S*, const S*, const CoriolisMatrices<S>&) noexcept; \
  template void hamilton(const Model&, CoriolisWorkspace<S>&, const S*, const S*, const S*, const Force<S>*, S*, S*) noexcept;
SPARSEDYN_FOR_EACH_REAL(SPARSEDYN_DEFINE)

}  // namespace sparsedyn
