#include "minimum_fill.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sparsedyn {
namespace {

template <class Visit>
void each_bit(std::uint64_t bits, std::size_t word, Visit&& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<int>(64 * word) + __builtin_ctzll(bits));
}

std::uint64_t bit_of(int i) { return std::uint64_t{1} << (i % 64); }
std::size_t word_of(int i) { return static_cast<std::size_t>(i / 64); }

/// Ones in a word, which are few or none here.
long count(std::uint64_t bits) {
  long ones = 0;
  for (; bits != 0; bits &= bits - 1) ++ones;
  return ones;
}

}  // namespace

SymmetricMatrix::SymmetricMatrix(const Pattern& pattern, const std::vector<Values>& values)
    : size_(static_cast<std::size_t>(pattern.rows)),
      words_((size_ + width - 1) / width),
      place_(size_ * size_, 0),
      value_(1),
      entries_(size_ * words_, 0),
      remaining_(words_, 0) {
  for (int i = 0; i < pattern.rows; ++i) remaining_[word_of(i)] |= bit_of(i);
  std::vector<int> index(pattern.columns);
  for (int r = 0; r < pattern.rows; ++r) index[pattern.partner[r]] = r;
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e)
      if (const int i = index[pattern.column[e]]; i <= r && values[e] != Values{}) put(r, i, values[e]);
  for (int pass = 0; pass < 4; ++pass) equilibrate();
}

void SymmetricMatrix::put(int i, int j, const Values& value) {
  const std::size_t row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
  place_[row * size_ + column] = place_[column * size_ + row] = static_cast<int>(value_.size());
  value_.push_back(value);
  entries(i)[word_of(j)] |= bit_of(j);
  entries(j)[word_of(i)] |= bit_of(i);
}

/// a_ij ← a_ij / √(max_k |a_ik| max_k |a_kj|), at each state (Ruiz 2001).
void SymmetricMatrix::equilibrate() {
  const int n = size();
  std::vector<Values> scale(size_);
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
    for (std::size_t w = 0; w < words_; ++w)
      each_bit(entries(i)[w], w, [&](int j) {
        if (j < i) apply(i, j);
      });
  }
}

SymmetricMatrix::Values SymmetricMatrix::largest_beside(int i, const DiagonalPivot& pivot) const {
  Values largest{};
  for (std::size_t w = 0; w < words_; ++w)
    each_bit(entries(i)[w] & remaining_[w], w, [&](int j) {
      if (j == pivot.first || j == pivot.second) return;
      for (int s = 0; s < states; ++s) largest[s] = std::max(largest[s], std::abs(value_[place(i, j)][s]));
    });
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

/// [a b, b c]⁻¹ has c and a on its diagonal; of a pivot alone, 1/a.
const SymmetricMatrix::Front& SymmetricMatrix::front(const DiagonalPivot& pivot) {
  const bool pair = pivot.second >= 0;
  const Bits *first = entries(pivot.first), *second = pair ? entries(pivot.second) : nullptr;
  front_.first_twice = !pair || has(pivot.second, pivot.second), front_.second_twice = pair && has(pivot.first, pivot.first);
  front_.parts.clear();
  for (std::size_t w = 0; w < words_; ++w) {
    Bits others = remaining_[w];
    if (w == word_of(pivot.first)) others &= ~bit_of(pivot.first);
    if (pair && w == word_of(pivot.second)) others &= ~bit_of(pivot.second);
    const Part part{w, first[w] & others, pair ? second[w] & others : 0};
    if ((part.first | part.second) != 0) front_.parts.push_back(part);
  }
  return front_;
}

/// With each row x beside the pivot's, and each word, the rows y of it for which a product with both arises.
template <class Visit>
void SymmetricMatrix::each_product(const Front& front, Visit&& visit) {
  for (const Part& of : front.parts)
    each_bit(of.first | of.second, of.word, [&](int x) {
      const bool by_first = (of.first & bit_of(x)) != 0, by_second = (of.second & bit_of(x)) != 0;
      const Bits to_first = by_second || front.first_twice ? ~Bits{0} : 0,
                 to_second = by_first || front.second_twice ? ~Bits{0} : 0;
      for (const Part& part : front.parts) visit(x, part.word, (part.first & to_first) | (part.second & to_second));
    });
}

long SymmetricMatrix::fill(const DiagonalPivot& pivot, long most) {
  long added = 0;
  each_product(front(pivot), [&](int x, std::size_t word, Bits linked) {
    if (added <= most) added += count(linked & ~entries(x)[word]);
  });
  return added;
}

/// a_xy −= (a_xf a_xs) P⁻¹ (a_fy a_sy)ᵀ
std::vector<int> SymmetricMatrix::eliminate(const DiagonalPivot& pivot) {
  const Front& here = front(pivot);
  std::vector<std::pair<int, int>> changed;
  each_product(here, [&](int x, std::size_t word, Bits linked) {
    each_bit(linked, word, [&](int y) {
      if (y > x) return;
      if (!has(x, y)) put(x, y, {});
      changed.push_back({x, y});
    });
  });
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
  remaining_[word_of(f)] &= ~bit_of(f);
  if (s >= 0) remaining_[word_of(s)] &= ~bit_of(s);
  return near(here);
}

/// The rows of a front, and their neighbours.
std::vector<int> SymmetricMatrix::near(const Front& front) const {
  std::vector<Bits> found(words_, 0);
  for (const Part& part : front.parts) {
    found[part.word] |= part.first | part.second;
    each_bit(part.first | part.second, part.word, [&](int x) {
      for (std::size_t w = 0; w < words_; ++w) found[w] |= entries(x)[w];
    });
  }
  std::vector<int> all;
  for (std::size_t w = 0; w < words_; ++w) each_bit(found[w] & remaining_[w], w, [&](int i) { all.push_back(i); });
  return all;
}

}  // namespace sparsedyn
