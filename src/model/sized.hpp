// A number and the size of what it was added up from: beside that size it may turn out to be nothing but rounding. Beside other
// numbers of the robot it may not: a light tip is nothing next to its base, and yet all that its own joint feels.
#pragma once

#include <cmath>

#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

struct Sized {
  long double value;
  double size;

  Sized(double x = 0) : value(x), size(std::fabs(x)) {}
  explicit Sized(long double x) : value(x), size(static_cast<double>(std::fabs(x))) {}
  static Sized of(long double value, double size) {
    Sized x;
    x.value = value, x.size = size;
    return x;
  }

  friend Sized operator+(const Sized& a, const Sized& b) { return of(a.value + b.value, a.size + b.size); }
  friend Sized operator-(const Sized& a, const Sized& b) { return of(a.value - b.value, a.size + b.size); }
  friend Sized operator-(const Sized& a) { return of(-a.value, a.size); }
  friend Sized operator*(const Sized& a, const Sized& b) { return of(a.value * b.value, a.size * b.size); }
};

/// What the few operations that make a Model leave of a number that should be zero, beside its size.
constexpr double kRounding = 1e-14;

inline bool vanishes(const Sized& x) { return std::fabs(x.value) <= static_cast<long double>(kRounding) * x.size; }
/// 0 where it vanishes.
inline double rounded(const Sized& x) { return vanishes(x) ? 0.0 : static_cast<double>(x.value); }
inline Vec3<double> rounded(const Vec3<Sized>& a) { return {{rounded(a[0]), rounded(a[1]), rounded(a[2])}}; }
/// Second moments on a diagonal that differ by rounding are equal.
Inertia<double> rounded(const Inertia<Sized>& I);

/// To the nearest doubles.
Pose<double> rounded(const Pose<long double>& p);

/// A pose as a Model has it: entries of a rotation are off by rounding of 1, those of a vector by rounding of its length.
Pose<Sized> sized(const Pose<double>& p);
/// Numbers of a body, beside what they can be (Cauchy and Schwarz): h_i² ≤ m Σ_ii, Σ_ik² ≤ Σ_ii Σ_kk. What a file says of the
/// tensor is known to rounding of its trace.
Inertia<Sized> sized(const Inertia<double>& I);

}  // namespace sparsedyn
