// q ⊕ δ to second order in δ, recorded: first and second derivatives by δ at zero are those of the joint's group.
#pragma once

#include <vector>

#include "sparsedyn/codegen/expr.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// q (nq, unit quaternions), delta (nv, near zero) → q ⊕ δ + O(δ³), nq numbers.
std::vector<Expr> tangent_move(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& delta);

}  // namespace sparsedyn
