// LU factorisation and solution of one system in one order, as straight-line programs on an array of cells:
//   [ values of the matrix | right-hand side | entries of L and U, 1/pivots, intermediate and final solutions ]
// An entry of L or U that no step changes is read where the matrix has it, so that a triangular system with pivots known
// to be ±1 needs no factorisation at all.
#pragma once

#include <vector>

#include "sparsedyn/sparse/detail/schedule.hpp"
#include "sparsedyn/sparse/elimination.hpp"

namespace sparsedyn {

/// What is known of an entry at every state: +1, −1, or 0 where nothing is. One for each entry of the pattern, or none.
using UnitEntries = std::vector<signed char>;

/// The programs, and where they leave what.
struct LUProgram {
  int cells = 0;              // length of the array
  int right_side = 0;         // first cell of b; the matrix' values start at cell 0
  std::vector<int> solution;  // the cell of each unknown (n)

  Schedule factor;    // what the outputs asked for need of L and U
  Schedule solve;     // and of the two triangular solves
  Schedule complete;  // all the rest, should it be wanted after all

  /// A pivot that is divided by.
  struct Pivot {
    int cell, reciprocal;  // of the pivot and of 1/pivot
    int row, column;       // of the pattern
  };
  std::vector<Pivot> pivots;  // computed by `factor`, in the order of elimination

  /// A row of U that differs from the matrix' row: where growth can happen.
  struct GrownRow {
    int row;                     // of the pattern
    int pivot;                   // cell of the diagonal entry
    bool divided;                // the other entries are stored divided by the pivot
    int first_upper, end_upper;  // their cells: upper[first_upper] … upper[end_upper - 1]
  };
  std::vector<GrownRow> grown_rows;  // all of them
  std::vector<int> upper;            // cells of their entries of U

  /// Where the numbers of L and U lie, for solves with several right-hand sides or with Aᵀ (BlockSolve).
  struct Factors {
    std::vector<int> lower, upper;    // the cells of L and U, in the order of Elimination
    std::vector<int> reciprocal;      // n: the cell of 1/pivot, or no_cell (pivot 1) or minus_one (pivot −1)
    std::vector<char> divides_upper;  // n: row k of U is stored divided by its pivot; else column k of L is
  };
  Factors factors;  // of this system
};

/// The programs of one order. `outputs`: the unknowns that are wanted; empty: all. Throws as `eliminate` does.
LUProgram lu_program(const Pattern& pattern, const Order& order, const Elimination& elimination, const UnitEntries& unit,
                     const std::vector<int>& outputs);

/// Operations of its factorisation and solve, without packing them: several times faster. Of a symmetric pattern, before equal
/// values are shared.
Flops lu_cost(const Pattern& pattern, const Order& order, const Elimination& elimination, const UnitEntries& unit,
              const std::vector<int>& outputs);

}  // namespace sparsedyn
