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

  /// Of what follows the weighted reading of row r by response(r): keeps t_o = w_o response(o) for each offset.
  template <class Response>
  void follow(const ReadingWeights& weights, Response response) noexcept {
    for (std::size_t o = 0; o < offsets_.rows.size(); ++o) toward_[o] = weights[offsets_.rows[o]] * response(offsets_.rows[o]);
  }
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
