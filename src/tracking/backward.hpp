// Back over kept samples: the estimate of each given all that came after.
#pragma once

#include <vector>

#include "tracking/track_outputs.hpp"

namespace sparsedyn::tracking {

class Backward {
 public:
  Backward(const Layout& layout, bool deviations);

  /// Whether covariances are found too, from the next begin() on.
  void find_deviations(bool whether) noexcept { deviations_ = whether; }
  /// At the newest sample, after which nothing is known.
  void begin(const Sample& newest) noexcept;
  /// From `after` to the sample before it. No heap.
  void step(const Sample& after, const Sample& sample, double acceleration_sigma) noexcept;
  /// The sample given all after it; after: the next one, or null. Valid until the next call.
  Snapshot snapshot(const Sample& sample, const Sample* after) noexcept;

 private:
  RateFilter rate_between(const Sample& sample, const Sample& after) const noexcept;

  const Layout& layout_;
  bool deviations_;
  Adjoint adjoint_;
  Knot knot_;
  Covariance P_;
  std::vector<JointState> joints_;
  std::vector<double> scratch_;
};

/// Tracker::nees.
double nees_of(const Snapshot& sample, const Pose<double>& base, const double* q, const double* v) noexcept;

}  // namespace sparsedyn::tracking
