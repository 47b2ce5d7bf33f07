// Second derivatives of inverse dynamics by moment matrices, for every joint, with external wrenches.
//
// With e_x = z_x × ρ + l_x the displacement by freedom x and A = r'' − g, every second derivative is a sum over the mass below
// the deepest of three freedoms i, j, k (each above or in the joint of the next) of products of e_i, e_j, e_k and their rates.
// What depends on k travels up as a DeepWave; at j it makes the PairMoments of (j, k), which meet the screws of every i above,
// as the body of j sees them, four at a time. Derivation, and the order of differentiation within a joint:
// docs/second-derivatives.md.
#pragma once

#include "sparsedyn/recursive/pair_moments.hpp"

namespace sparsedyn {

/// All second derivatives of τ at (q, v, a) with wrenches fx (as in rnea_derivatives), into `out`, built for the same model.
/// About 300 operations for each pair of freedoms on a branch and 100 for each triple; no heap.
template <class S>
void rnea_second_derivatives(const Model& model, SecondWorkspace<S>& ws, const S* q, const S* v, const S* a, const Force<S>* fx,
                             SecondDerivatives<S>& out) noexcept {
  const TripleIndex& index = out.index();
  moment_passes(model, ws.moments, q, v, a, fx);
  find_frames(model, index, ws);
  DeepWave<S> x;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
    for (int e = 0; e < freedoms(model.bodies[b].joint); ++e) {
      const int k = model.bodies[b].v + e;
      deep_wave(model.bodies[b], e, ws.moments.bodies[b], ws.frames[b], ws.screws[k], ws.moments.mass[b], x);
      for (int up = b; up >= 0; up = model.bodies[up].parent) {
        const Body& body = model.bodies[up];
        const S* screws = ws.seen.data() + ws.first[up];
        const int width = index.width(body.v);
        if (up != b && !has_fixed_axis(body.joint)) arrive(ws.frames[up], x);
        for (int c = 0, j = body.v; c < freedoms(body.joint); ++c, ++j)
          meet_all(body, c, ws.screws[j], x, screws, width, out.row(j, k));
        if (body.parent >= 0) leave(ws.frames[up], x);
      }
    }
}

extern template void rnea_second_derivatives(const Model&, SecondWorkspace<double>&, const double*, const double*,
                                             const double*, const Force<double>*, SecondDerivatives<double>&) noexcept;

}  // namespace sparsedyn
