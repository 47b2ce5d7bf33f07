// A scalar that tells structural zeros from numbers: it carries the values at a few random states beside the magnitude that
// they were summed from. What cancels at every state is zero up to rounding, however the text came to it; what is zero at one
// state only (sin q at q = 0) is not.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace sparsedyn {

class PatternScalar {
 public:
  static constexpr int samples = 4;

  PatternScalar() : PatternScalar(0.0) {}
  PatternScalar(double constant) {  // implicit: a robot's constants mix with the state
    value_.fill(constant);
    magnitude_.fill(std::abs(constant));
  }
  explicit PatternScalar(const std::array<double, samples>& values) : value_(values) {
    for (int k = 0; k < samples; ++k) magnitude_[k] = std::abs(value_[k]);
  }

  /// True where all samples are rounding: |x| ≤ 1e-13 Σ|terms|. (Sums of fewer than a hundred terms round below 2e-14.)
  bool is_zero() const {
    for (int k = 0; k < samples; ++k)
      if (std::abs(value_[k]) > 1e-13 * magnitude_[k]) return false;
    return true;
  }
  /// True where all samples agree up to rounding.
  bool is_constant() const {
    for (int k = 1; k < samples; ++k)
      if (std::abs(value_[k] - value_[0]) > 1e-13 * std::max(magnitude_[k], magnitude_[0])) return false;
    return true;
  }
  double sample(int k) const { return value_[k]; }

  friend PatternScalar operator+(const PatternScalar& a, const PatternScalar& b) {
    return combined(
        a, b, [](double x, double y) { return x + y; }, [](double x, double y) { return x + y; });
  }
  friend PatternScalar operator-(const PatternScalar& a, const PatternScalar& b) {
    return combined(
        a, b, [](double x, double y) { return x - y; }, [](double x, double y) { return x + y; });
  }
  friend PatternScalar operator*(const PatternScalar& a, const PatternScalar& b) {
    return combined(
        a, b, [](double x, double y) { return x * y; }, [](double x, double y) { return x * y; });
  }
  friend PatternScalar operator/(const PatternScalar& a, const PatternScalar& b) {
    PatternScalar r;
    for (int k = 0; k < samples; ++k) {
      r.value_[k] = a.value_[k] / b.value_[k];
      r.magnitude_[k] = a.magnitude_[k] / std::abs(b.value_[k]);
    }
    return r;
  }
  friend PatternScalar operator-(const PatternScalar& a) { return 0.0 - a; }
  PatternScalar& operator+=(const PatternScalar& b) { return *this = *this + b; }
  PatternScalar& operator-=(const PatternScalar& b) { return *this = *this - b; }
  PatternScalar& operator*=(const PatternScalar& b) { return *this = *this * b; }

  friend PatternScalar sin(const PatternScalar& a) {
    return bounded(a, [](double x) { return std::sin(x); });
  }
  friend PatternScalar cos(const PatternScalar& a) {
    return bounded(a, [](double x) { return std::cos(x); });
  }
  friend PatternScalar tanh(const PatternScalar& a) {
    return bounded(a, [](double x) { return std::tanh(x); });
  }
  friend PatternScalar sqrt(const PatternScalar& a) {
    PatternScalar r;
    for (int k = 0; k < samples; ++k) {
      r.value_[k] = std::sqrt(a.value_[k]);
      r.magnitude_[k] = std::sqrt(a.magnitude_[k]);
    }
    return r;
  }

 private:
  template <class Value, class Magnitude>
  static PatternScalar combined(const PatternScalar& a, const PatternScalar& b, Value value, Magnitude magnitude) {
    PatternScalar r;
    for (int k = 0; k < samples; ++k) {
      r.value_[k] = value(a.value_[k], b.value_[k]);
      r.magnitude_[k] = magnitude(a.magnitude_[k], b.magnitude_[k]);
    }
    return r;
  }
  template <class Function>
  static PatternScalar bounded(const PatternScalar& a, Function function) {
    PatternScalar r;
    for (int k = 0; k < samples; ++k) {
      r.value_[k] = function(a.value_[k]);
      r.magnitude_[k] = 1.0;
    }
    return r;
  }
  std::array<double, samples> value_, magnitude_;
};

}  // namespace sparsedyn
