// The factors of M after crba, with the sizes that tell its pivots from rounding.
#pragma once

#include "sparsedyn/code.hpp"
#include "sparsedyn/dynamics/crba.hpp"

namespace sparsedyn {
namespace detail {
inline namespace SPARSEDYN_CODE {

/// Sizes of the diagonal of Gᵀ M_t G: Σ multiplier² size.
template <class S>
void set_joined_sizes(const CoordinateMap& map, const Workspace<S>& ws, PackedLtdl<S>& M) {
  if constexpr (Magnitude<S>::exists) {
    for (std::size_t k = 0; k < map.joined.size(); ++k) M.size(static_cast<int>(k)) = S(0.0);
    for (std::size_t i = 0; i < map.tree.bodies.size(); ++i) {
      const Body& body = map.tree.bodies[i];
      const Sym3<S>& moments = ws.composite[i].moments;
      for (int c = 0; c < freedoms(body.joint); ++c) {
        const CoordinateMap::Entry& e = map.v[static_cast<std::size_t>(body.v + c)];
        add_times(e.multiplier * e.multiplier,
                  size_along(body.joint, c, Vec3<S>{{moments.xx, moments.yy, moments.zz}}, ws.composite[i].m), M.size(e.index));
      }
    }
  }
}

/// Takes M (nv × nv), which crba has left together with composite bodies in ws, into ws.factors. Returns as factor() does.
template <class S>
int factor_inertia(const Model& model, Workspace<S>& ws, const S* M) noexcept {
  ws.factors.take(M);
  if (model.coordinate_map)
    set_joined_sizes(*model.coordinate_map, ws, ws.factors);
  else
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      const Sym3<S>& moments = ws.composite[i].moments;
      set_sizes(model.bodies[i], Vec3<S>{{moments.xx, moments.yy, moments.zz}}, ws.composite[i].m, ws.factors);
    }
  return ws.factors.factor();
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail
}  // namespace sparsedyn
