// Constant unknown offsets of sensors ("bias": true), estimated over many samples in one pass.
//
// With offsets b on some rows, every sample says W y = W Y x + W E b + noise. Its own unknowns x are eliminated by the sample's
// estimate, which leaves the residual (1 − H) W (y − E b); over all samples, b solves the normal equations
//
//   Σ Eᵀ W (1 − H) W E  b  =  Σ Eᵀ W (1 − H) W y        (block-bordered least squares: Golub & Plemmons 1980)
//
// Memory does not grow with the log; their inverse is the covariance of b. Estimates with these offsets taken off
// (Estimator::take_off), their uncertainty included, are those of the whole problem in (b, all x).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

/// The offsets that samples determine: one entry for each offset.
struct LearntOffsets {
  std::vector<double> value, standard_deviation;  // NaN where `determined` is false
  std::vector<char> determined;                   // the samples separate this offset from the others and the unknowns
  TakenOff taken_off;                             // all of them, as far as known, for Estimator::take_off
};

/// The normal equations of n offsets, for any way of estimating the samples.
class OffsetEquations {
 public:
  /// rows: of the system, one an offset.
  explicit OffsetEquations(std::vector<int> rows);
  ~OffsetEquations();

  /// As given.
  const std::vector<int>& rows() const { return rows_; }
  /// The sums: Σ Eᵀ W (1 − H) W E, n × n, and Σ Eᵀ W (1 − H) W y, n. To be added to.
  /// @{
  std::vector<double>& information() { return information_; }
  std::vector<double>& moment() { return moment_; }
  /// @}
  /// Adds the sums of a sample. Nothing is added if their sizes differ.
  void add(const std::vector<double>& information, const std::vector<double>& moment) noexcept;
  /// Forgets all samples.
  void clear() noexcept;
  /// Both sums, n² + n numbers.
  std::vector<double> sums() const;
  /// Takes such sums in place of its own. Throws std::invalid_argument where there are not n² + n finite ones.
  void set_sums(const std::vector<double>& sums);

  /// From all samples so far. sigma: n, of the readings' noise. Values below the rounding of the sums are set to zero.
  /// An eigendecomposition of n × n, inside which Eigen takes a workspace of n numbers from the heap.
  const LearntOffsets& solve(const std::vector<double>& sigma) noexcept;

 private:
  struct Workspace;
  void scale(const std::vector<double>& sigma) noexcept;
  void find_open(const std::vector<double>& sigma) noexcept;
  void find_values() noexcept;

  std::vector<int> rows_;
  std::vector<double> information_, moment_;  // n × n, n
  LearntOffsets found_;
  std::unique_ptr<Workspace> work_;
};

/// Collects the samples of an Estimator, then solves for the offsets.
class SensorOffsets {
 public:
  /// The offsets of all rows whose sensor carries a bias. The estimator must outlive it; what it takes off the readings
  /// meanwhile may change from sample to sample.
  explicit SensorOffsets(Estimator& estimator);

  /// One name an offset: that of its measurement's column, `y.SENSOR…`.
  const std::vector<std::string>& names() const { return names_; }
  /// Their rows in the system.
  const std::vector<int>& rows() const { return equations_.rows(); }
  /// Adds the estimator's last sample, which was ok. One solve an offset; no heap.
  void add() noexcept;
  /// Adds a sample that the estimator's order does not serve: the n² and n numbers of its StateEstimate, made with the
  /// estimator's offsets. Nothing is added where they are not so many.
  void add(const std::vector<double>& information, const std::vector<double>& moment) noexcept {
    equations_.add(information, moment);
  }
  /// Forgets all samples.
  void clear() noexcept { equations_.clear(); }
  /// What the samples amount to, n² + n numbers: the left and the right side of the normal equations. Those of parts of a log,
  /// of several logs and of several machines add up, number by number.
  std::vector<double> sums() const { return equations_.sums(); }
  /// Takes such sums in place of its own. Throws std::invalid_argument where there are not n² + n finite ones.
  void set_sums(const std::vector<double>& sums) { equations_.set_sums(sums); }
  /// From all samples so far, as OffsetEquations::solve: for a slower loop than add() and Estimator::set_offsets are for.
  const LearntOffsets& result() noexcept;

 private:
  Estimator& estimator_;
  std::vector<std::string> names_;
  OffsetEquations equations_;
  std::vector<double> sigma_;                      // n
  std::vector<double> unit_, residual_, current_;  // rows of the system
};

}  // namespace sparsedyn
