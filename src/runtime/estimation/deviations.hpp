// How far estimates may be off, and how far measurements are: what the augmented system answers to unit right-hand sides, of
// one sample or of a batch.
#pragma once

#include <vector>

#include "runtime/estimation/reading_offsets.hpp"
#include "runtime/estimation/reading_weights.hpp"
#include "runtime/estimation/sample.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/sparse/detail/lu_in_lanes.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"

namespace sparsedyn {

/// The variance of (y − Y x)/σ where the weighted residual ν = share (y − Y x)/σ answers to its own unit measurement with v =
/// (1 − H)_ii, H = W Y C Yᵀ W. With h = (1 − v)/share² it is v (v + h), less what went into the offsets that `offsets` follows.
double variance_of_residual(double v, double share, const ReadingOffsets& offsets) noexcept;
/// Whether other rows predict the measurement at all.
bool is_checked(double v, double variance) noexcept;

/// What is wanted of the deviations.
struct Spread {
  bool of_outputs, of_rows;
  bool any() const noexcept { return of_outputs || of_rows; }
};

class Deviations {
 public:
  /// unknowns, rows: of the system. The outputs must outlive it.
  Deviations(const Outputs& outputs, int unknowns, int rows);

  /// Of a sample by its factors; answers of these are refined so often.
  void find(EstimatorSample& sample, ZeroFillLU<double>& lu, int refinements, const ReadingWeights& weights,
            ReadingOffsets& offsets, Spread wanted) noexcept;
  /// Of Batch::lanes samples.
  void find(EstimatorSample* samples, LUInLanes& lu, const ReadingWeights& weights, ReadingOffsets& offsets,
            Spread wanted) noexcept;

 private:
  template <class Systems>
  void of_outputs(Systems systems, EstimatorSample* samples, const ReadingWeights& weights, ReadingOffsets& offsets) noexcept;
  template <class Systems>
  void of_rows(Systems systems, EstimatorSample* samples, const ReadingWeights& weights, ReadingOffsets& offsets) noexcept;

  const Outputs& outputs_;
  std::vector<double> zero_, gradient_;  // of the unknowns
  std::vector<double> response_;         // of the augmented system
};

}  // namespace sparsedyn
