// The order that UMFPACK takes (Davis, ACM TOMS 30, 2004): its own row and column permutations for numbers at one state.
#pragma once

#include <optional>

#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

/// False where the library was built without SuiteSparse; umfpack_order then returns none.
bool has_umfpack() noexcept;

/// P and Q of P R A Q = L U. UMFPACK searches pivots by value, so another state may give another order; values that
/// tie are told apart in the same way everywhere (untied_columns). None where UMFPACK
/// finds the matrix singular.
std::optional<Order> umfpack_order(const Pattern& pattern, const double* values);

}  // namespace sparsedyn
