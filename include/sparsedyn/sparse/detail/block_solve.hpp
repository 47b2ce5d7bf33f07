// The factors of one matrix applied to a block of right-hand sides, and their transposes: derivatives ask for many solutions
// at one state. Each lane of a Batch holds one right-hand side.
#pragma once

#include <vector>

#include "sparsedyn/sparse/batch.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"

namespace sparsedyn {

struct BlockKernels;

/// One a thread. All memory is taken by the constructor; the plan must outlive it.
class BlockSolve {
 public:
  explicit BlockSolve(const Plan& plan);

  /// Copies the matrix and its factors out of an LU of the same plan, after factor(). What of L and U its outputs left out, or
  /// a solve does not read because other cells hold the same values, is computed first.
  void load(ZeroFillLU<double>& lu) noexcept;

  /// A X = B: b by rows of the pattern, x by columns. b is not changed. Cost: plan.solve_flops() a lane.
  void solve(const Batch* b, Batch* x) noexcept;
  /// Aᵀ Z = C: c by columns of the pattern, z by rows.
  void solve_transposed(const Batch* c, Batch* z) noexcept;

  /// B − A X in `rest`, and the backward errors of X by lane: the largest component of ‖rest‖∞ / (‖A‖∞ ‖X‖∞ + ‖B‖∞).
  Batch residual(const Batch* b, const Batch* x, Batch* rest) const noexcept;
  /// The same of the transposed system.
  Batch residual_transposed(const Batch* c, const Batch* z, Batch* rest) const noexcept;

 private:
  const Plan* plan_;
  const BlockKernels* kernels_;
  std::vector<double> matrix_, lower_, upper_;  // beside Pattern::column, Elimination::lower and ::upper
  std::vector<double> below_, above_;           // n: what y_k and x_k are multiplied by: 1/pivot where U, or L, is divided
  std::vector<Batch> y_;                        // n, by position
  double norm_ = 0, transposed_norm_ = 0;       // ‖A‖∞, ‖Aᵀ‖∞
  std::vector<double> column_sum_;              // n, also for solutions that nobody wants
};

}  // namespace sparsedyn
