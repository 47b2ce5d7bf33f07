#include "row_entries.hpp"

namespace sparsedyn {
namespace {
constexpr int i = 0, j = 1, k = 2;
}

std::vector<NamedEntries> entries_of(const detail::MinimalTriple<Expr>& x) {
  const Expr M = x.Y - x.B2;
  return {{M, {{3, i, j, k}, {3, j, i, k}}},
          {x.Y, {{3, i, k, j}, {3, k, i, j}}},
          {x.C2, {{2, i, j, k}, {2, i, k, j}}},
          {x.B2, {{2, k, i, j}, {2, k, j, i}}},
          {-x.B2, {{2, j, i, k}, {2, j, k, i}}},
          {x.qv_ijk, {{1, i, j, k}}},
          {x.qv_ikj, {{1, i, k, j}}},
          {x.qv_kij, {{1, k, i, j}}},
          {-x.qv_kij, {{1, j, i, k}}},
          {x.qv_kji, {{1, k, j, i}}},
          {x.qv_jki, {{1, j, k, i}}},
          {x.qq_i, {{0, i, j, k}, {0, i, k, j}}},
          {x.qq_k, {{0, k, i, j}, {0, k, j, i}}},
          {x.qq_j, {{0, j, i, k}, {0, j, k, i}}}};
}

std::vector<NamedEntries> entries_of_two(const detail::MinimalTriple<Expr>& x) {
  return {{-x.B2, {{3, i, j, k}}},    {-x.B2, {{2, i, j, k}, {2, i, k, j}}},
          {x.B2, {{2, k, i, j}}},     {x.qv_ijk, {{1, i, j, k}}},
          {x.qv_ikj, {{1, i, k, j}}}, {x.qv_kij, {{1, k, i, j}}},
          {x.qq_k, {{0, k, i, j}}},   {x.qq_i, {{0, i, j, k}, {0, i, k, j}}}};
}

std::vector<NamedEntries> entries_of_self(const detail::MinimalTriple<Expr>& x) {
  return {{x.Y, {{3, i, j, k}, {3, j, i, k}}}, {x.Y + x.Y, {{2, i, j, k}}}, {x.qv_ijk, {{1, i, j, k}}},
          {x.qv_kji, {{1, k, j, i}}},          {x.qq_i, {{0, i, j, k}}},    {x.qq_k, {{0, k, i, j}, {0, k, j, i}}}};
}

std::vector<NamedEntries> entries_of_one(const detail::MinimalTriple<Expr>& x) {
  return {{x.qv_ijk, {{1, i, j, k}}}, {x.qq_i, {{0, i, j, k}}}};
}

}  // namespace sparsedyn
