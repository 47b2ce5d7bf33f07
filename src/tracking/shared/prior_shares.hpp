// What readings have told of numbers that start as a prior: the least share of its variance that each has kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sparsedyn::tracking {

/// Of a number that starts with a deviation of sigma and walks (per √s), after a time (s) without any reading.
inline double prior_variance(double sigma, double walk, double time) noexcept { return sigma * sigma + walk * walk * time; }

constexpr double kept_prior = 0.98;  // of the variance: a deviation of 0.99 of the prior's is the prior's

class PriorShares {
 public:
  explicit PriorShares(std::size_t count) : least_(count, unjudged) {}

  void clear() noexcept { std::fill(least_.begin(), least_.end(), unjudged); }
  /// A sample's variance of number k, and the one that it would have without any reading (> 0). No heap.
  void judge(std::size_t k, double variance, double prior) noexcept { least_[k] = std::min(least_[k], variance / prior); }
  /// Of the same count. No heap.
  void take(const PriorShares& other) noexcept { std::copy(other.least_.begin(), other.least_.end(), least_.begin()); }
  /// Whether number k was judged and has kept more than `share` of its variance in all samples.
  bool kept(std::size_t k, double share = kept_prior) const noexcept { return least_[k] != unjudged && least_[k] > share; }

 private:
  static constexpr double unjudged = 1e300;
  std::vector<double> least_;
};

}  // namespace sparsedyn::tracking
