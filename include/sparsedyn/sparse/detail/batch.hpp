// A number of each of several samples that go through the same calculation together.
#pragma once

#include "sparsedyn/detail/code.hpp"

namespace sparsedyn {

struct alignas(64) Batch {
  static constexpr int lanes = 8;
  double lane[lanes];

  Batch() = default;
  explicit Batch(double x) {
    for (double& l : lane) l = x;
  }
};

inline namespace SPARSEDYN_CODE {

inline Batch operator*(const Batch& a, const Batch& b) {
  Batch product;
  for (int k = 0; k < Batch::lanes; ++k) product.lane[k] = a.lane[k] * b.lane[k];
  return product;
}

inline Batch operator-(const Batch& a) {
  Batch negative;
  for (int k = 0; k < Batch::lanes; ++k) negative.lane[k] = -a.lane[k];
  return negative;
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
