// A symmetric matrix under elimination with 1 × 1 and 2 × 2 pivots: its pattern, and its numbers at a few states.
#pragma once

#include <array>
#include <cstdint>
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

  int size() const { return static_cast<int>(size_); }
  bool has(int i, int j) const { return (entries(i)[j / width] >> (j % width) & 1) != 0; }
  /// Whether the pivot's determinant can be nonzero.
  bool regular(const DiagonalPivot& pivot) const { return pivot.second >= 0 || has(pivot.first, pivot.first); }
  /// 1 / max_i (|P⁻¹| m)_i for a pivot P and the largest entries m beside it in its rows, after scaling; the worst state's.
  /// Duff & Reid, ACM Trans. Math. Softw. 22 (1996): what is above a threshold lets entries grow little. A pair's rows change
  /// places, so its entry off the diagonal must not be small beside the others either.
  double soundness(const DiagonalPivot& pivot) const;
  /// Entries that the elimination of a pivot would add; where these are more than `most`, some number between.
  long fill(const DiagonalPivot& pivot, long most);
  /// Eliminates it; returns the indices whose pivots' fill may be another now: those whose rows it changed, and their
  /// neighbours.
  std::vector<int> eliminate(const DiagonalPivot& pivot);

 private:
  using Bits = std::uint64_t;  // one for each of 64 indices
  static constexpr int width = 64;
  /// Of 64 rows, those beside the pivot's first index and those beside its second.
  struct Part {
    std::size_t word;
    Bits first, second;
  };
  /// The rows beside a pivot's; those words that hold any.
  struct Front {
    std::vector<Part> parts;
    bool first_twice, second_twice;  // the inverse of the pivot has an entry at (first, first), at (second, second)
  };
  const Front& front(const DiagonalPivot& pivot);
  template <class Visit>
  static void each_product(const Front& front, Visit&& visit);
  std::vector<int> near(const Front& front) const;

  Bits* entries(int i) { return entries_.data() + static_cast<std::size_t>(i) * words_; }
  const Bits* entries(int i) const { return entries_.data() + static_cast<std::size_t>(i) * words_; }
  int place(int i, int j) const { return place_[static_cast<std::size_t>(i) * size_ + static_cast<std::size_t>(j)]; }
  void put(int i, int j, const Values& value);
  void equilibrate();
  Values largest_beside(int i, const DiagonalPivot& pivot) const;

  std::size_t size_, words_;     // of a row of bits
  std::vector<int> place_;       // n × n: where its numbers lie, 0 for no entry
  std::vector<Values> value_;    // both entries of a pair have one place; scaled so that rows are alike in size
  std::vector<Bits> entries_;    // n × n: whether there is an entry; what is asked most, and a 32nd of place_
  std::vector<Bits> remaining_;  // not eliminated
  Front front_;                  // scratch
};

}  // namespace sparsedyn
