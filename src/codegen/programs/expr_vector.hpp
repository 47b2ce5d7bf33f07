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

/// T H Tᵀ, the lower triangle, of a symmetric H that is given by its own. map: a vector x -> T x.
template <class Map>
ExprMatrix mapped_on_both_sides(const ExprMatrix& H, const Map& map) {
  ExprMatrix rows;  // of H Tᵀ
  for (std::size_t i = 0; i < H.size(); ++i) {
    ExprVector row(H.size());
    for (std::size_t k = 0; k < H.size(); ++k) row[k] = k <= i ? H[i][k] : H[k][i];
    rows.push_back(map(row));
  }
  const std::size_t size = rows.empty() ? 0 : rows.front().size();
  ExprMatrix made(size, ExprVector(size));
  for (std::size_t c = 0; c < size; ++c) {
    ExprVector column(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) column[i] = rows[i][c];
    column = map(column);
    for (std::size_t i = c; i < size; ++i) made[i][c] = column[i];
  }
  return made;
}

}  // namespace sparsedyn
