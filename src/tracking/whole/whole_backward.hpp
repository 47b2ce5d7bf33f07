// Back over kept samples of rows of the whole body: the estimate of each given all that came after.
#pragma once

#include "tracking/whole/whole_outputs.hpp"

namespace sparsedyn::tracking {

class WholeBackward {
 public:
  WholeBackward(const WholeLayout& layout, bool deviations);

  /// Whether covariances are found too, from the next begin() on.
  void find_deviations(bool whether) noexcept { deviations_ = whether; }
  /// At the newest sample, after which nothing is known.
  void begin() noexcept { adjoint_.clear(); }
  /// From `after` to the sample before it. No heap.
  void step(const WholeSample& after) noexcept;
  /// The sample given all after it. Valid until the next call. No heap.
  WholeSnapshot snapshot(const WholeSample& sample) noexcept;

 private:
  void carry_information(const WholeJacobian& F) noexcept;

  const WholeLayout& layout_;
  bool deviations_;
  GaussianAdjoint adjoint_;
  WholeKnot x_;
  std::vector<double> mean_, P_, product_;
};

}  // namespace sparsedyn::tracking
