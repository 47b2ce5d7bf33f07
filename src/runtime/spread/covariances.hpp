// Covariances of pairs of outputs of an estimate. With the gradients a and b of two outputs, C the covariance of the unknowns
// and t what follows the offsets of readings, cov = aᵀ C b + t_aᵀ Cov t_b + Σ_k (∂a/∂s_k) (∂b/∂s_k) σ_k² over the uncertain
// entries s_k of the state. Where the sweep that finds the deviations finds aᵀ C b too, it is taken from there
// (spread_plan.hpp). Else the stationarity rows answer to a with x = −C a: one solve for each output that is named.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/derivatives/estimator_derivatives.hpp"
#include "runtime/estimation/reading_offsets.hpp"
#include "runtime/estimation/sample_solver.hpp"
#include "runtime/spread/spread_plan.hpp"
#include "sparsedyn/runtime/outputs.hpp"

namespace sparsedyn {

/// Two outputs, by their columns.
using OutputPairs = std::vector<std::pair<std::string, std::string>>;

/// Throws UnknownOutput for names that are no output, or those of several.
void check_output_pairs(const System& system, const OutputPairs& pairs);

/// After the names, each of the pairs' that is not among them.
void add_names(const OutputPairs& pairs, std::vector<std::string>& names);
/// The columns of the pairs among the outputs.
std::vector<std::pair<int, int>> places_of(const OutputPairs& pairs, const Outputs& outputs);

/// Those of the pairs both of whose outputs are among these, and for each pair its place among them or -1.
struct SweptPairs {
  SweptPairs(const OutputPairs& pairs, const Outputs& outputs);
  ColumnPairs columns;
  std::vector<int> place;
};

class Covariances {
 public:
  /// with_state: the state's own deviations enter. tolerance: of the solves for that. The system must outlive it. Throws as
  /// check_output_pairs does.
  Covariances(const System& system, const OutputPairs& pairs, bool with_state, double tolerance);

  /// Where sweeps that deviations were found by (EstimatorSample::pairs_found) have each pair: SweptPairs::place of the outputs
  /// of such a sweep.
  void expect_sweeps(std::vector<int> place) { place_ = std::move(place); }

  /// Takes the memory for so many offsets. Allocates.
  void reserve(std::size_t offsets);
  /// Of the solver's last solution; with_state: its order has a block. No heap.
  void find(SampleSolver& solver, ReadingOffsets& offsets) noexcept;
  /// Of each pair; NaN where one of the two is undetermined, or nothing is finite.
  const std::vector<double>& values() const noexcept { return values_; }

 private:
  void answer(int column, SampleSolver& solver, ReadingOffsets& offsets) noexcept;
  double covariance(const std::pair<int, int>& pair, const ReadingOffsets& offsets) const noexcept;
  /// The place of a pair among those that the sample's sweep has found, or -1.
  int swept(std::size_t pair, const SampleSolver& solver, const ReadingOffsets& offsets) const noexcept;
  bool is_open(int column, const SampleSolver& solver) const noexcept;
  double of_state(const std::pair<int, int>& pair) const noexcept;

  const System& system_;
  Outputs outputs_;                                 // each once
  std::vector<std::pair<int, int>> pairs_;          // columns
  std::vector<double> zero_;                        // of the unknowns
  std::vector<double> gradient_, answer_, toward_;  // of each column: of the unknowns, of the augmented system, of the offsets
  std::vector<char> open_, asked_;                  // a column; asked_: by some pair that no sweep has found
  std::vector<int> place_;                          // a pair; empty: no sweep has any
  std::unique_ptr<EstimatorDerivatives> derivatives_;  // or none
  std::vector<double> dq_, dv_;                        // columns × nv
  std::vector<double> values_;
};

}  // namespace sparsedyn
