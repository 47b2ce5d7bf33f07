// The state of the base at one sample, and its errors as common actions from the left (layout.hpp).
#pragma once

#include <vector>

#include "tracking/layout.hpp"

namespace sparsedyn::tracking {

/// Of the tracked frame; footholds in the world.
struct Knot {
  explicit Knot(const Layout& layout)
      : R(identity3<double>()),
        p(zero3<double>()),
        v(zero3<double>()),
        gyroscope_bias(zero3<double>()),
        accelerometer_bias(zero3<double>()),
        footholds(layout.points.size(), zero3<double>()) {}

  Matrix3 R;
  Vector3 p, v, gyroscope_bias, accelerometer_bias;
  std::vector<Vector3> footholds;
};

/// The three errors from `first` on.
inline Vector3 part(const double* error, int first) { return {{error[first], error[first + 1], error[first + 2]}}; }
inline void set_part(double* error, int first, const Vector3& x) {
  for (int k = 0; k < 3; ++k) error[first + k] = x[k];
}

/// Moves the knot by the errors (Layout::size). No heap.
void retract(const Layout& layout, const double* error, Knot& x) noexcept;
/// The errors of x beside `from`: retract(local(x, from), from) = x. No heap.
void local(const Layout& layout, const Knot& x, const Knot& from, double* error) noexcept;
/// Copies numbers into memory that is there.
void copy(const Knot& from, Knot& to) noexcept;

}  // namespace sparsedyn::tracking
