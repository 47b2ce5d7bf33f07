// The inverse of the joint-space inertia matrix, by factorisation of M: CRBA, LTDL, then rows of L⁻¹ D⁻¹ L⁻ᵀ.
#pragma once

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/detail/factor_inertia.hpp"

namespace sparsedyn {

/// M(q)⁻¹, nv × nv row by row, symmetric, all entries written. q: nq. O(n² · depth), no heap. If M is singular, the entry of v
/// nearest to the tips at which it is so is returned and nothing is to be used.
template <class S>
DynamicsStatus minverse(const Model& model, Workspace<S>& ws, const S* q, S* inverse) noexcept {
  DynamicsStatus status;
  crba(model, ws, q, inverse);
  status.singular = detail::factor_inertia(model, ws, static_cast<const S*>(inverse));
  ws.factors.inverse(ws.inverse);
  ws.inverse.copy_columns(model.nv, 0, model.nv, inverse);
  return status;
}

#define SPARSEDYN_DECLARE(S) extern template DynamicsStatus minverse(const Model&, Workspace<S>&, const S*, S*) noexcept;
SPARSEDYN_FOR_EACH_SCALAR(SPARSEDYN_DECLARE)
#undef SPARSEDYN_DECLARE

}  // namespace sparsedyn
