// The pattern of a symmetric matrix under elimination with 1 × 1 and 2 × 2 pivots.
#pragma once

#include <vector>

#include "sparsedyn/solve/pattern.hpp"

namespace sparsedyn {

/// An index of the diagonal, or two whose block is eliminated as one. second: -1 for one alone.
struct DiagonalPivot {
  int first, second = -1;
};

class SymmetricPattern {
 public:
  /// Index i is row i and column pattern.partner[i].
  explicit SymmetricPattern(const Pattern& pattern);

  bool has(int i, int j) const {
    return entry_[static_cast<std::size_t>(i) * neighbours_.size() + static_cast<std::size_t>(j)] != 0;
  }
  /// Whether the pivot's determinant can be nonzero.
  bool regular(const DiagonalPivot& pivot) const { return pivot.second >= 0 || has(pivot.first, pivot.first); }
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

  std::vector<char> entry_;                   // n × n
  std::vector<std::vector<int>> neighbours_;  // of each index, itself left out; eliminated ones are dropped when next met
  std::vector<char> gone_;
  std::vector<unsigned char> reach_;  // scratch: 1: by the pivot's first index, 2: by its second
};

}  // namespace sparsedyn
