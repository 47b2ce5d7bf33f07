#include "minimum_fill.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sparsedyn {

SymmetricMatrix::SymmetricMatrix(const Pattern& pattern, const std::vector<Values>& values)
    : place_(static_cast<std::size_t>(pattern.rows) * static_cast<std::size_t>(pattern.rows), 0),
      value_(1),
      neighbours_(pattern.rows),
      gone_(pattern.rows, 0),
      reach_(pattern.rows, 0) {
  std::vector<int> index(pattern.columns);
  for (int r = 0; r < pattern.rows; ++r) index[pattern.partner[r]] = r;
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e)
      if (const int i = index[pattern.column[e]]; i <= r && values[e] != Values{}) put(r, i, values[e]);
  for (int pass = 0; pass < 4; ++pass) equilibrate();
}

void SymmetricMatrix::put(int i, int j, const Values& value) {
  const std::size_t n = neighbours_.size(), row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
  place_[row * n + column] = place_[column * n + row] = static_cast<int>(value_.size());
  value_.push_back(value);
  if (i == j) return;
  neighbours_[i].push_back(j);
  neighbours_[j].push_back(i);
}

/// a_ij ← a_ij / √(max_k |a_ik| max_k |a_kj|), at each state (Ruiz 2001).
void SymmetricMatrix::equilibrate() {
  const int n = static_cast<int>(neighbours_.size());
  std::vector<Values> scale(n);
  for (int i = 0; i < n; ++i) {
    const Values beside = largest_beside(i, {i});
    for (int s = 0; s < states; ++s) {
      const double most = std::max(beside[s], std::abs(value_[place(i, i)][s]));
      scale[i][s] = most > 0 ? 1 / std::sqrt(most) : 1;
    }
  }
  const auto apply = [&](int i, int j) {
    for (int s = 0; s < states; ++s) value_[place(i, j)][s] *= scale[i][s] * scale[j][s];
  };
  for (int i = 0; i < n; ++i) {
    apply(i, i);
    for (int j : neighbours_[i])
      if (j < i) apply(i, j);
  }
}

SymmetricMatrix::Values SymmetricMatrix::largest_beside(int i, const DiagonalPivot& pivot) const {
  Values largest{};
  for (int j : neighbours_[i]) {
    if (gone_[j] || j == pivot.first || j == pivot.second) continue;
    for (int s = 0; s < states; ++s) largest[s] = std::max(largest[s], std::abs(value_[place(i, j)][s]));
  }
  return largest;
}

double SymmetricMatrix::soundness(const DiagonalPivot& pivot) const {
  const Values& a = value_[place(pivot.first, pivot.first)];
  const Values beside = largest_beside(pivot.first, pivot);
  double least = 1;
  if (pivot.second < 0) {
    for (int s = 0; s < states; ++s) least = std::min(least, a[s] == 0 ? 0 : beside[s] == 0 ? 1 : std::abs(a[s]) / beside[s]);
    return least;
  }
  const Values &b = value_[place(pivot.first, pivot.second)], &c = value_[place(pivot.second, pivot.second)];
  const Values beside_second = largest_beside(pivot.second, pivot);
  for (int s = 0; s < states; ++s) {
    const double determinant = std::abs(a[s] * c[s] - b[s] * b[s]);
    const double reach = std::max(std::abs(c[s]) * beside[s] + std::abs(b[s]) * beside_second[s],
                                  std::abs(b[s]) * beside[s] + std::abs(a[s]) * beside_second[s]);
    least = std::min(least, determinant == 0 ? 0 : reach == 0 ? 1 : determinant / reach);
    if (a[s] != 0 && c[s] != 0) least = std::min(least, std::abs(b[s] / a[s] * (b[s] / c[s])));
  }
  return least;
}

void SymmetricMatrix::collect(int i, unsigned char bit, const DiagonalPivot& pivot, std::vector<int>& rows) {
  std::vector<int>& near = neighbours_[i];
  near.erase(std::remove_if(near.begin(), near.end(), [this](int j) { return gone_[j] != 0; }), near.end());
  for (int j : near) {
    if (j == pivot.first || j == pivot.second) continue;
    if (reach_[j] == 0) rows.push_back(j);
    reach_[j] = static_cast<unsigned char>(reach_[j] | bit);
  }
}

/// [a b, b c]⁻¹ has c and a on its diagonal; of a pivot alone, 1/a.
SymmetricMatrix::Front SymmetricMatrix::front(const DiagonalPivot& pivot) {
  Front result{{}, true, false};
  collect(pivot.first, 1, pivot, result.rows);
  if (pivot.second < 0) return result;
  collect(pivot.second, 2, pivot, result.rows);
  result.first_twice = has(pivot.second, pivot.second);
  result.second_twice = has(pivot.first, pivot.first);
  return result;
}

/// A product with rows x and y arises.
bool SymmetricMatrix::linked(const Front& front, int x, int y) const {
  const unsigned both = reach_[x] & reach_[y];
  return (both & 1u && front.first_twice) || (both & 2u && front.second_twice) || (reach_[x] | reach_[y]) == 3;
}

long SymmetricMatrix::fill(const DiagonalPivot& pivot, long most) {
  const Front here = front(pivot);
  long added = 0;
  for (std::size_t a = 0; a < here.rows.size() && added <= most; ++a)
    for (std::size_t b = a; b < here.rows.size(); ++b)
      if (!has(here.rows[a], here.rows[b]) && linked(here, here.rows[a], here.rows[b])) added += a == b ? 1 : 2;
  for (int x : here.rows) reach_[x] = 0;
  return added;
}

/// a_xy −= (a_xf a_xs) P⁻¹ (a_fy a_sy)ᵀ
std::vector<int> SymmetricMatrix::eliminate(const DiagonalPivot& pivot) {
  const Front here = front(pivot);
  std::vector<std::pair<int, int>> changed;
  for (int x : here.rows)
    for (int y : here.rows) {
      if (y > x || !linked(here, x, y)) continue;
      if (!has(x, y)) put(x, y, {});
      changed.push_back({x, y});
    }
  const int f = pivot.first, s = pivot.second;
  const Values none{}, &a = value_[place(f, f)], &b = s < 0 ? none : value_[place(f, s)],
                       &c = s < 0 ? none : value_[place(s, s)];
  for (const auto& [x, y] : changed) {
    const Values &xf = value_[place(x, f)], &yf = value_[place(y, f)];
    const Values &xs = s < 0 ? none : value_[place(x, s)], &ys = s < 0 ? none : value_[place(y, s)];
    Values& sum = value_[place(x, y)];
    for (int k = 0; k < states; ++k)
      sum[k] -=
          s < 0 ? xf[k] * yf[k] / a[k]
                : (xf[k] * (c[k] * yf[k] - b[k] * ys[k]) + xs[k] * (a[k] * ys[k] - b[k] * yf[k])) / (a[k] * c[k] - b[k] * b[k]);
  }
  for (int x : here.rows) reach_[x] = 0;
  gone_[f] = 1;
  if (s >= 0) gone_[s] = 1;
  return here.rows;
}

}  // namespace sparsedyn
