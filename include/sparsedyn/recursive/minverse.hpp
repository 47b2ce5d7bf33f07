// The inverse of the joint-space inertia matrix, by factorisation of M: CRBA, LTDL, then rows of L⁻¹ D⁻¹ L⁻ᵀ.
#pragma once

#include "sparsedyn/recursive/aba.hpp"
#include "sparsedyn/recursive/crba.hpp"
#include "sparsedyn/recursive/ltdl.hpp"

namespace sparsedyn {

/// M(q)⁻¹, nv × nv row by row, symmetric, all entries written. q: nq. O(n² · depth), no heap.
template <class S>
DynamicsStatus minverse(const Model& model, Workspace<S>& ws, const S* q, S* inverse) noexcept {
  DynamicsStatus status;
  const int n = model.nv;
  const int* parent = ws.parent_freedom.data();
  S* M = ws.matrix.data();
  crba(model, ws, q, M);
  for (int k = 0; k < n; ++k) inverse[k] = M[k * n + k];
  ltdl_factor(n, parent, M);
  for (int k = n - 1; k >= 0; --k)
    if (is_singular_pivot(M[k * n + k], inverse[k])) status.singular = k;
  ltdl_inverse(n, parent, M, inverse);
  return status;
}

#define SPARSEDYN_DECLARE(S) extern template DynamicsStatus minverse(const Model&, Workspace<S>&, const S*, S*) noexcept;
SPARSEDYN_FOR_EACH_SCALAR(SPARSEDYN_DECLARE)
#undef SPARSEDYN_DECLARE

}  // namespace sparsedyn
