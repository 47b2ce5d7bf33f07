#include "minimum_fill.hpp"

#include <algorithm>

namespace sparsedyn {

SymmetricPattern::SymmetricPattern(const Pattern& pattern)
    : entry_(static_cast<std::size_t>(pattern.rows) * static_cast<std::size_t>(pattern.rows), 0),
      neighbours_(pattern.rows),
      gone_(pattern.rows, 0),
      reach_(pattern.rows, 0) {
  std::vector<int> index(pattern.columns);
  for (int r = 0; r < pattern.rows; ++r) index[pattern.partner[r]] = r;
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      const int j = index[pattern.column[e]];
      entry_[static_cast<std::size_t>(r) * neighbours_.size() + static_cast<std::size_t>(j)] = 1;
      if (j != r) neighbours_[r].push_back(j);
    }
}

void SymmetricPattern::collect(int i, unsigned char bit, const DiagonalPivot& pivot, std::vector<int>& rows) {
  std::vector<int>& near = neighbours_[i];
  near.erase(std::remove_if(near.begin(), near.end(), [this](int j) { return gone_[j] != 0; }), near.end());
  for (int j : near) {
    if (j == pivot.first || j == pivot.second) continue;
    if (reach_[j] == 0) rows.push_back(j);
    reach_[j] = static_cast<unsigned char>(reach_[j] | bit);
  }
}

/// [a b, b c]⁻¹ has c and a on its diagonal; of a pivot alone, 1/a.
SymmetricPattern::Front SymmetricPattern::front(const DiagonalPivot& pivot) {
  Front result{{}, true, false};
  collect(pivot.first, 1, pivot, result.rows);
  if (pivot.second < 0) return result;
  collect(pivot.second, 2, pivot, result.rows);
  result.first_twice = has(pivot.second, pivot.second);
  result.second_twice = has(pivot.first, pivot.first);
  return result;
}

/// A product with rows x and y arises.
bool SymmetricPattern::linked(const Front& front, int x, int y) const {
  const unsigned both = reach_[x] & reach_[y];
  return (both & 1u && front.first_twice) || (both & 2u && front.second_twice) || (reach_[x] | reach_[y]) == 3;
}

long SymmetricPattern::fill(const DiagonalPivot& pivot, long most) {
  const Front here = front(pivot);
  long added = 0;
  for (std::size_t a = 0; a < here.rows.size() && added <= most; ++a)
    for (std::size_t b = a; b < here.rows.size(); ++b)
      if (!has(here.rows[a], here.rows[b]) && linked(here, here.rows[a], here.rows[b])) added += a == b ? 1 : 2;
  for (int x : here.rows) reach_[x] = 0;
  return added;
}

std::vector<int> SymmetricPattern::eliminate(const DiagonalPivot& pivot) {
  const Front here = front(pivot);
  const std::size_t n = neighbours_.size();
  for (int x : here.rows)
    for (int y : here.rows) {
      if (has(x, y) || !linked(here, x, y)) continue;
      entry_[static_cast<std::size_t>(x) * n + static_cast<std::size_t>(y)] = 1;
      if (x != y) neighbours_[x].push_back(y);
    }
  for (int x : here.rows) reach_[x] = 0;
  gone_[pivot.first] = 1;
  if (pivot.second >= 0) gone_[pivot.second] = 1;
  return here.rows;
}

}  // namespace sparsedyn
