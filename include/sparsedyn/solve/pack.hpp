// A number of each of several samples that go through the same calculation together.
#pragma once

#include "sparsedyn/code.hpp"

namespace sparsedyn {

struct alignas(64) Pack {
  static constexpr int lanes = 8;
  double lane[lanes];

  Pack() = default;
  explicit Pack(double x) {
    for (double& l : lane) l = x;
  }
};

inline namespace SPARSEDYN_CODE {

inline Pack operator*(const Pack& a, const Pack& b) {
  Pack product;
  for (int k = 0; k < Pack::lanes; ++k) product.lane[k] = a.lane[k] * b.lane[k];
  return product;
}

inline Pack operator-(const Pack& a) {
  Pack negative;
  for (int k = 0; k < Pack::lanes; ++k) negative.lane[k] = -a.lane[k];
  return negative;
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
