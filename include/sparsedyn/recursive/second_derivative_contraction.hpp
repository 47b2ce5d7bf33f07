// λᵀ ∂²τ: what the Hessian of a Lagrangian needs of the second derivatives, one n × n matrix for given multipliers.
#pragma once

#include "sparsedyn/recursive/rnea_second_derivatives.hpp"

namespace sparsedyn {

/// Row-major nv × nv, written: X[b,c] = Σ_a λ_a [a,b,c]. qq, qv, vv of τ; Mq: derivative of M λ.
template <class S>
struct Contraction {
  S *qq, *qv, *vv, *Mq;
};

/// From the stored triples, each visited once; no dense tensor. lambda: nv. O(count of triples), no heap.
template <class S>
void contract(const SecondDerivatives<S>& second, const S* lambda, const Contraction<S>& out) noexcept {
  const TripleIndex& index = second.index();
  const int n = index.nv();
  for (S* matrix : {out.qq, out.qv, out.vv, out.Mq}) std::fill(matrix, matrix + n * n, S(0.0));
  const auto add = [&](const TripleRecord<S>& r, int slot, int i, int j, int a, int b, int c) {
    const auto rank = [&](int x) { return x == i ? 0 : x == j ? 1 : 2; };
    const int at = b * n + c;
    out.qq[at] = out.qq[at] + lambda[a] * r.qq[slot];
    out.qv[at] = out.qv[at] + lambda[a] * r.qv[slot];
    out.vv[at] = out.vv[at] + lambda[a] * r.vv[rank(a)];
    out.Mq[at] = out.Mq[at] + lambda[a] * r.Mq[rank(c)];
  };
  for (int k = 0; k < n; ++k)
    for (int m = 0; m <= index.depth(k); ++m)
      for (int l = 0; l <= m; ++l) {  // [i,j,k] in the slots that its equal freedoms leave apart
        const int i = index.on_path(k, l), j = index.on_path(k, m);
        const TripleRecord<S>& r = second.records()[index.sorted(i, j, k)];
        add(r, 0, i, j, i, j, k);
        if (j != k) add(r, 1, i, j, i, k, j);
        if (i != j) add(r, 2, i, j, j, i, k);
        if (i != j) add(r, 3, i, j, j, k, i);
        if (j != k) add(r, 4, i, j, k, i, j);
        if (i != j && j != k) add(r, 5, i, j, k, j, i);
      }
}

}  // namespace sparsedyn
