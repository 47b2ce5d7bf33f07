// A number of each of several samples that go through the same calculation together.
#pragma once

#include "sparsedyn/detail/code.hpp"

namespace sparsedyn {

/// A vector of numbers, one a sample.
struct alignas(64) Batch {
  static constexpr int lanes = 8;  // samples that are computed together
  double lane[lanes];              // a number each

  Batch() = default;  // no value
  /// x in every lane.
  explicit Batch(double x) {
    for (double& l : lane) l = x;
  }
};

inline namespace SPARSEDYN_CODE {

/// Lane by lane.
inline Batch operator*(const Batch& a, const Batch& b) {
  Batch product;
  for (int k = 0; k < Batch::lanes; ++k) product.lane[k] = a.lane[k] * b.lane[k];
  return product;
}

/// Lane by lane.
inline Batch operator-(const Batch& a) {
  Batch negative;
  for (int k = 0; k < Batch::lanes; ++k) negative.lane[k] = -a.lane[k];
  return negative;
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
