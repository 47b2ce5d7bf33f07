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

/// Changes of the coordinates (nq) for a change along the tangent (nv) at q, to first order.
std::vector<Expr> coordinate_changes(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& along);

/// Hessian of λᵀ(q ⊕ δ) by a joint's own δ at zero, λ by coordinates; empty where q ⊕ δ = q + δ.
std::vector<std::vector<Expr>> move_curvature(const Body& body, const std::vector<Expr>& q, const std::vector<Expr>& lambda);

/// Of a function with gradient g (nv) and Hessian H (the lower triangle, nv) along the tangent at q, the Hessian by the
/// coordinates (the lower triangle, nq): that of the function of quaternions scaled to norm 1. Behind q may stand other
/// variables, which add: g, and H, are longer then.
std::vector<std::vector<Expr>> coordinate_hessian(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& g,
                                                  const std::vector<std::vector<Expr>>& H);
/// Likewise its gradient.
std::vector<Expr> coordinate_gradient(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& g);

}  // namespace sparsedyn
