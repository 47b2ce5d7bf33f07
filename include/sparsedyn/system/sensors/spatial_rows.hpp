// Constant 6×6 transforms from a link's frame into a sensor's, and rows made of them. Motions and forces transform apart.
#pragma once

#include <array>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn::sensors {

using Matrix6 = std::array<std::array<double, 6>, 6>;

/// sX_i: motion vectors of the link into the sensor's frame, (Rᵀ, 0; −Rᵀ[d]×, Rᵀ).
inline Matrix6 motion_transform(const Pose<double>& frame) {
  const Mat3<double> arm = transpose(frame.R) * hat(frame.d);
  Matrix6 X{};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) X[r][c] = X[3 + r][3 + c] = frame.R(c, r), X[3 + r][c] = -arm(r, c);
  return X;
}

/// sX_i*: wrenches on the link into the sensor's frame, about its origin, (Rᵀ, −Rᵀ[d]×; 0, Rᵀ).
inline Matrix6 force_transform(const Pose<double>& frame) {
  const Mat3<double> arm = transpose(frame.R) * hat(frame.d);
  Matrix6 X{};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) X[r][c] = X[3 + r][3 + c] = frame.R(c, r), X[r][3 + c] = -arm(r, c);
  return X;
}

/// Row `component` of X against the six columns from `first_column`.
template <class Sink>
void row_times(const Matrix6& X, int component, int row, int first_column, Sink& sink) {
  for (int c = 0; c < 6; ++c) sink.entry(row, first_column + c, X[component][c]);
}

}  // namespace sparsedyn::sensors
