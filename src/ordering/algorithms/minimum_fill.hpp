// A symmetric matrix under elimination with 1 × 1 and 2 × 2 pivots: its pattern, and its numbers at a few states.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

/// An index of the diagonal, or two whose block is eliminated as one. second: -1 for one alone.
struct DiagonalPivot {
  int first, second = -1;
};

class SymmetricMatrix {
 public:
  static constexpr int states = 16;
  using Values = std::array<double, states>;

  /// Index i is row i and column pattern.partner[i]. values: of each entry; those that are zero at every state are left out.
  SymmetricMatrix(const Pattern& pattern, const std::vector<Values>& values);

  int size() const { return static_cast<int>(neighbours_.size()); }
  bool has(int i, int j) const { return place(i, j) != 0; }
  /// Whether the pivot's determinant can be nonzero.
  bool regular(const DiagonalPivot& pivot) const { return pivot.second >= 0 || has(pivot.first, pivot.first); }
  /// 1 / max_i (|P⁻¹| m)_i for a pivot P and the largest entries m beside it in its rows, after scaling; the worst state's.
  /// Duff & Reid, ACM Trans. Math. Softw. 22 (1996): what is above a threshold lets entries grow little. A pair's rows change
  /// places, so its entry off the diagonal must not be small beside the others either.
  double soundness(const DiagonalPivot& pivot) const;
  const std::vector<int>& neighbours(int i) const { return neighbours_[i]; }
  /// Entries that the elimination of a pivot would add; where these are more than `most`, some number between.
  long fill(const DiagonalPivot& pivot, long most);
  /// Eliminates it; returns the indices whose rows it changed.
  std::vector<int> eliminate(const DiagonalPivot& pivot);

 private:
  /// The rows beside a pivot's, and through which of its indices each is reached.
  struct Front {
    std::vector<int> rows;
    bool first_twice, second_twice;  // the inverse of the pivot has an entry at (first, first), at (second, second)
  };
  Front front(const DiagonalPivot& pivot);
  bool linked(const Front& front, int x, int y) const;
  void collect(int i, unsigned char bit, const DiagonalPivot& pivot, std::vector<int>& rows);

  int place(int i, int j) const {
    return place_[static_cast<std::size_t>(i) * neighbours_.size() + static_cast<std::size_t>(j)];
  }
  void put(int i, int j, const Values& value);
  void equilibrate();
  Values largest_beside(int i, const DiagonalPivot& pivot) const;

  std::vector<int> place_;                    // n × n: where its numbers lie, 0 for no entry
  std::vector<Values> value_;                 // both entries of a pair have one place; scaled so that rows are alike in size
  std::vector<std::vector<int>> neighbours_;  // of each index, itself left out; eliminated ones are dropped when next met
  std::vector<char> gone_;
  std::vector<unsigned char> reach_;  // scratch: 1: by the pivot's first index, 2: by its second
};

}  // namespace sparsedyn
