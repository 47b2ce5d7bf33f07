#include "sparsedyn/dynamics/inertia_matrix.hpp"

namespace sparsedyn {

#define SPARSEDYN_DEFINE(S) template void crba(const Model&, Workspace<S>&, const S*, S*) noexcept;
SPARSEDYN_FOR_EACH_REAL(SPARSEDYN_DEFINE)

}  // namespace sparsedyn
