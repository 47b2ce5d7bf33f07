// Offsets of readings at work: what is taken off, and how uncertain that leaves what follows the readings.
#pragma once

#include <vector>

#include "runtime/estimation/reading_weights.hpp"
#include "sparsedyn/runtime/taken_off.hpp"

namespace sparsedyn {

class ReadingOffsets {
 public:
  /// Allocates. Throws std::invalid_argument where sizes do not fit, or a row is not noisy.
  void take_off(TakenOff offsets, const ReadingWeights& weights);
  /// New values, in the same order.
  void set(const double* value) noexcept;
  const TakenOff& taken_off() const noexcept { return offsets_; }

  /// How many.
  std::size_t count() const noexcept { return offsets_.rows.size(); }
  /// The row that the k-th is taken off.
  int row(std::size_t k) const noexcept { return offsets_.rows[k]; }

  /// Of what follows the weighted readings of the offsets by response(k): keeps t_k = w_k response(k) for each offset.
  template <class Response>
  void follow(const ReadingWeights& weights, Response response) noexcept {
    for (std::size_t k = 0; k < count(); ++k) toward_[k] = weights[row(k)] * response(k);
  }
  /// What follow() has kept, count() numbers.
  const std::vector<double>& toward() const noexcept { return toward_; }
  /// What the offsets add to its variance, and whether it depends on what nothing tells of them (TakenOff).
  /// @{
  double variance() const noexcept { return offsets_.variance(toward_.data()); }
  bool leave_open(double deviation) const noexcept { return offsets_.leave_open(toward_.data(), deviation); }
  /// @}

 private:
  TakenOff offsets_;
  std::vector<double> toward_;  // as many as offsets
};

}  // namespace sparsedyn
