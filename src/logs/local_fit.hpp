// Polynomials of degree 4 fitted to windows of evenly spaced samples.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "sparsedyn/logs/differentiate.hpp"

namespace sparsedyn {

/// The weights by which a window's samples give the fitted value and its first two derivatives (by the sample's index) at one
/// of them.
struct FitWeights {
  int first = 0;                              // the window's first sample, from the one at hand: ≤ 0
  std::array<std::vector<double>, 3> weight;  // of each sample in the window, for each derivative
  /// ‖weight[k]‖: the derivative's deviation for samples of deviation 1.
  double gain(int k) const { return norm[static_cast<std::size_t>(k)]; }
  std::array<double, 3> norm{};
};

/// Windows of 2 half + 1 samples, shifted where a stretch of samples begins or ends.
class LocalFit {
 public:
  static constexpr int degree = 4, smallest_half = (fewest_samples - 1) / 2;

  explicit LocalFit(int half) : half_(half) {}
  int half() const { return half_; }
  int samples() const { return 2 * half_ + 1; }

  /// At sample i of a stretch of n ≥ samples().
  const FitWeights& at(std::size_t i, std::size_t n);
  /// In the middle of a whole window.
  const FitWeights& inside() { return of(-half_); }
  /// |H| of the fitted value at this frequency (cycles a sample).
  double response(double frequency);

 private:
  const FitWeights& of(int first);

  int half_;
  std::map<int, FitWeights> known_;
};

/// Fit with the smallest window whose fitted values have at most half of the power left at this frequency (cycles a sample).
int half_of_cutoff(double frequency, int largest_half);
/// The frequency at which half of the power is left.
double cutoff_of_half(int half);

}  // namespace sparsedyn
