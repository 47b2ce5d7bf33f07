#pragma once

#include "sparsedyn/sparse/elimination.hpp"
#include "sparsedyn/sparse/lu_program.hpp"

namespace sparsedyn {

/// What factorisation and solve of all unknowns cost, without writing their program: the same numbers as
/// make_plan(pattern, order, unit).flops(), several times faster. At a pivot with l entries below it in L and u beside it in U:
///   l u products, min(l, u) scalings and a division unless the pivot is known to be ±1, l + u products in the solve.
/// With `outputs` (not empty: unknowns) what these alone need, step by step: make_plan(pattern, order, unit, outputs).flops().
/// Of a symmetric pattern: before equal values are shared, which leaves about half of it. Throws as eliminate does.
Flops order_cost(const Pattern& pattern, const Order& order, const UnitEntries& unit, const std::vector<int>& outputs = {});

}  // namespace sparsedyn
