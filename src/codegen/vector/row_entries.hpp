// Which entries of the tensors a triple of freedoms has.
#pragma once

#include <vector>

#include "codegen/minimal/one_frame_columns.hpp"
#include "row_program.hpp"
#include "sparsedyn/codegen/detail/expr.hpp"

namespace sparsedyn {

/// Outputs: 0 qq, 1 qv, 2 vv, 3 Mq. Freedoms: 0 i, 1 j, 2 k.
struct NamedEntries {
  Expr value;
  std::vector<RowEntry> entries;
};

/// Of three freedoms, none the same as another.
std::vector<NamedEntries> entries_of(const detail::MinimalTriple<Expr>& x);
/// Where i is j; where j is k; where all are one. The others are these or zero.
std::vector<NamedEntries> entries_of_two(const detail::MinimalTriple<Expr>& x);
std::vector<NamedEntries> entries_of_self(const detail::MinimalTriple<Expr>& x);
std::vector<NamedEntries> entries_of_one(const detail::MinimalTriple<Expr>& x);

}  // namespace sparsedyn
