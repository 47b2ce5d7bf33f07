// Recorded numbers of coupled joints: from a robot's coordinates to those of its tree, and results gathered back
// (model/coordinate_map.hpp).
#pragma once

#include <algorithm>
#include <vector>

#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {

inline std::vector<Expr> positions(const CoordinateMap& map, const std::vector<Expr>& q) {
  std::vector<Expr> x(map.q.size());
  tree_positions(map, q.data(), x.data());
  return x;
}
inline std::vector<Expr> tree_of(const CoordinateMap& map, const std::vector<Expr>& v) {
  std::vector<Expr> x(map.v.size());
  tree_rates(map, v.data(), x.data());
  return x;
}
inline std::vector<Expr> gathered(const CoordinateMap& map, const std::vector<Expr>& tau) {
  std::vector<Expr> x(map.joined.size());
  gather_rows(map, 1, tau.data(), x.data());
  return x;
}
inline void gather(const CoordinateMap& map, const std::vector<Expr>& X, Expr* out) { gather_matrix(map, X.data(), out); }
inline void gather_tensor(const CoordinateMap& map, const std::vector<Expr>& X, Expr* out) {
  const std::size_t n = map.joined.size(), m = map.v.size();
  std::fill(out, out + n * n * n, Expr(0.0));
  for (std::size_t at = 0; at < X.size(); ++at) {
    const CoordinateMap::Entry &a = map.v[at / m / m], &b = map.v[at / m % m], &c = map.v[at % m];
    const std::size_t i = static_cast<std::size_t>(a.index), j = static_cast<std::size_t>(b.index);
    add_times(a.multiplier * b.multiplier * c.multiplier, X[at], out[(i * n + j) * n + static_cast<std::size_t>(c.index)]);
  }
}

}  // namespace sparsedyn
