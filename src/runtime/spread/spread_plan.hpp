// Where the variances of estimates lie in the inverse Z of an augmented system (sparse/augmented.hpp), and the sweep that finds
// them all at once (sparse/inverse/inverse_entries.hpp). With C the covariance of the unknowns x and H = W Y C Yᵀ W,
//
//   Z = |  C Yᵀ W   −C    |      rows of Z: x, then ν; columns: rows of Y, then the stationarity rows of x
//       |  1 − H    W Y C |
//
// so that an output of gradient g has the variance −gᵀ Z_x,x g, two outputs of gradients g and h the covariance −gᵀ Z_x,x h,
// and a weighted residual the variance Z_ν,ν = 1 − H.
#pragma once

#include <utility>
#include <vector>

#include "sparse/inverse/inverse_program.hpp"
#include "sparse/inverse/moved_entries.hpp"
#include "sparsedyn/runtime/estimator_plan.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/sparse/augmented.hpp"

namespace sparsedyn {

/// What is wanted of the deviations.
struct Spread {
  bool of_outputs = false, of_rows = false;
  bool any() const noexcept { return of_outputs || of_rows; }
};

/// Pairs of outputs, by their columns.
using ColumnPairs = std::vector<std::pair<int, int>>;

/// The entries that are wanted, found by the sweep or, where fewer operations do it, by a solve for an output or a row of its
/// own. Never changes; threads share it.
class SpreadPlan {
 public:
  /// The plan is one of the augmented system. Outputs must outlive it.
  /// held: a flag for each unknown that exact rows fix alone. pairs: whose covariances are wanted beside the outputs'
  /// variances. solved: a flag for each output, then for each row, which are left to solves; empty for none.
  SpreadPlan(const Augmented& augmented, const Plan& plan, const Outputs& outputs, const std::vector<bool>& held, Spread wanted,
             ColumnPairs pairs = {}, const std::vector<char>& solved = {});

  /// The sweep after the plan's factorisation.
  const InverseProgram& inverse() const noexcept { return inverse_; }
  /// Whether the sweep finds an output's variance, and that of a row's residual.
  /// @{
  bool sweeps_output(int c) const noexcept { return first_of_output_[c] >= 0; }
  bool sweeps_row(int r) const noexcept { return of_row_[r] >= 0; }
  /// And a pair's covariance; of both outputs it finds the variances then.
  bool sweeps_pair(int k) const noexcept { return first_of_pair_[k] >= 0; }
  /// @}
  const ColumnPairs& pairs() const noexcept { return pairs_; }
  /// How many of all.
  int swept() const noexcept { return swept_; }
  /// Whether no reading tells of an output: its variance is 0 up to rounding.
  bool is_held(int c) const noexcept { return held_[c] != 0; }
  /// What the matrix' entries are multiplied by, one after the other, to see whether the sweep has kept its digits; units are
  /// beside those at the beginning. One of them shows an error of e with the probability 1 − tolerance/e, nearly.
  const std::vector<MovedEntries>& moves() const noexcept { return moves_; }
  /// Operations of all deviations of a sample: the sweep and the solves.
  Flops flops() const noexcept;

  /// −gᵀ Z_x,x g of a swept output. gradient: of the unknowns; cell(i): the i-th cell, as the sweep left it. S: double or Expr.
  template <class S, class Cell>
  S variance_of_output(int c, const S* gradient, Cell cell) const {
    const std::vector<int>& unknowns = outputs_.unknowns_of(c);
    S sum(0.0);
    int entry = first_of_output_[c];
    for (std::size_t a = 0; a < unknowns.size(); ++a)
      for (std::size_t b = a; b < unknowns.size(); ++b, ++entry)
        if (const int at = inverse_.at[entry]; at >= 0) {
          const S product = gradient[unknowns[a]] * (gradient[unknowns[b]] * cell(at));
          sum = a == b ? sum - product : sum - S(2.0) * product;
        }
    return sum;
  }
  /// −gᵀ Z_x,x h of a swept pair. first, second: the gradients g and h, of the unknowns.
  template <class S, class Cell>
  S covariance_of_pair(int k, const S* first, const S* second, Cell cell) const {
    S sum(0.0);
    int entry = first_of_pair_[k];
    for (int a : outputs_.unknowns_of(pairs_[k].first))
      for (int b : outputs_.unknowns_of(pairs_[k].second))
        if (const int at = inverse_.at[entry++]; at >= 0) sum = sum - first[a] * (second[b] * cell(at));
    return sum;
  }
  /// Z_ν,ν of a swept row.
  template <class S, class Cell>
  S variance_of_row(int r, Cell cell) const {
    const int at = inverse_.at[of_row_[r]];
    return at >= 0 ? cell(at) : S(0.0);
  }

 private:
  const Outputs& outputs_;
  ColumnPairs pairs_;
  std::vector<int> first_of_output_, of_row_, first_of_pair_;  // index in inverse_.at, or -1: not swept
  int swept_ = 0;
  InverseProgram inverse_;
  Flops solves_;
  std::vector<char> held_;  // an output
  std::vector<MovedEntries> moves_;
};

/// Operations of the deviations of default_outputs() and of the innovations of all noisy rows, after the plan's factorisation.
Flops flops_of_deviations(const System& system, const EstimatorPlan& plan);

}  // namespace sparsedyn
