#include "sparsedyn/dynamics/aba.hpp"

namespace sparsedyn {

#define SPARSEDYN_DEFINE(S) \
  template DynamicsStatus aba(const Model&, Workspace<S>&, const S*, const S*, const S*, const Force<S>*, S*) noexcept;
SPARSEDYN_FOR_EACH_REAL(SPARSEDYN_DEFINE)

}  // namespace sparsedyn
