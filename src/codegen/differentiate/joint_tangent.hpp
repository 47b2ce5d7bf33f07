// Between derivatives by a robot's coordinates and derivatives along its tangent, in a recording.
#pragma once

#include <vector>

#include "sparsedyn/codegen/expr.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Of a function of q with these slopes by the coordinates (nq), the slopes along the tangent (nv): for q ⊕ δ of a ball
/// u exp(δ/2), of a free base also p + R δ, of a planar joint likewise about z.
std::vector<Expr> tangent_slopes(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& slopes);

/// Multipliers of the coordinates (nq) that are those of the tangent (nv) at q: Σ λ_k δ_k of q⁺ ⊖ q to first order.
std::vector<Expr> coordinate_multipliers(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& lambda);

}  // namespace sparsedyn
