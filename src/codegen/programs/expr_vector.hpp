// Vectors and matrices of recorded numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "sparsedyn/codegen/expr.hpp"

namespace sparsedyn {

using ExprVector = std::vector<Expr>;
using ExprMatrix = std::vector<ExprVector>;  // by rows

/// Whether x is the constant zero.
inline bool is_zero(const Expr& x) { return x.ref() == Ref{}; }

/// An index of the model, as vectors take it.
inline std::size_t place(int k) { return static_cast<std::size_t>(k); }

}  // namespace sparsedyn
