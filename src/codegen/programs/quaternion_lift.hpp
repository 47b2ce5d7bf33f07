// How a quaternion moves along the tangent: u ⊕ δ = u + ½ L δ to first order.
#pragma once

#include <array>

#include "sparsedyn/codegen/expr.hpp"

namespace sparsedyn {

/// The columns of `times` L for u = (x, y, z, w): u i, u j, u k. For a unit quaternion they are orthonormal at times = 1.
inline std::array<std::array<Expr, 4>, 3> quaternion_lift(const Expr* u, double times) {
  const Expr x = Expr(times) * u[0], y = Expr(times) * u[1], z = Expr(times) * u[2], w = Expr(times) * u[3];
  return {{{w, z, -y, -x}, {-z, w, x, -y}, {y, -x, w, -z}}};
}

}  // namespace sparsedyn
