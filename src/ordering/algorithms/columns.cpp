#include "columns.hpp"

#include <random>

namespace sparsedyn {

Columns columns_of(const Pattern& pattern, const double* values) {
  Columns result;
  result.start.assign(pattern.columns + 1, 0);
  result.row.resize(pattern.entries());
  if (values) result.value.resize(pattern.entries());
  for (int c : pattern.column) ++result.start[c + 1];
  for (int c = 0; c < pattern.columns; ++c) result.start[c + 1] += result.start[c];
  std::vector<int> next(result.start.begin(), result.start.end() - 1);
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      const int place = next[pattern.column[e]]++;
      result.row[place] = r;
      if (values) result.value[place] = values[e];
    }
  return result;
}

Columns untied_columns(const Pattern& pattern, const double* values) {
  Columns result = columns_of(pattern, values);
  std::minstd_rand rng(1);
  for (double& x : result.value) x *= 1 + 0x1p-51 * static_cast<double>(rng());  // below 2³¹
  return result;
}

}  // namespace sparsedyn
