// Differences one after the other: their root mean square and the largest of them.
#pragma once

#include <cmath>

namespace sparsedyn {

/// Squares are summed relative to the largest difference, for they overflow or vanish at half the range of what is squared.
class Differences {
 public:
  void add(double x) {
    const double size = std::abs(x);
    if (size > largest_)
      sum_ = 1 + sum_ * (largest_ / size) * (largest_ / size), largest_ = size;
    else if (size > 0)
      sum_ += (size / largest_) * (size / largest_);
    ++count_;
  }
  long count() const { return count_; }
  double largest() const { return largest_; }
  /// Zero of none.
  double rms() const { return count_ > 0 ? largest_ * std::sqrt(sum_ / static_cast<double>(count_)) : 0.0; }

 private:
  double largest_ = 0, sum_ = 0;  // Σ x² = largest² sum
  long count_ = 0;
};

}  // namespace sparsedyn
