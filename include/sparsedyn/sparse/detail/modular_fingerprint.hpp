// Exact arithmetic on fingerprints. A recorded value is followed at three random points, each in a prime field of its own:
// doubles are dyadic rationals, so they have an exact image there, and equal rational functions of the inputs have equal
// images. Two different ones of degree d agree by accident with probability at most d / 2^61 at each point (Schwartz, 1980;
// Zippel, 1979): 183 bits of evidence less the degree's. The third point confirms what the first two claim; no rounding enters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sparsedyn {

/// One value at three points, modulo three primes just below 2^61.
class ModularFingerprint {
 public:
  static constexpr std::array<std::uint64_t, 3> primes{{2305843009213693951u, 2305843009213693921u, 2305843009213693907u}};

  ModularFingerprint() : r_{{0, 0, 0}} {}
  /// Exact image of a finite double.
  static ModularFingerprint of(double x);
  /// The k-th of a fixed sequence of pseudo-random values.
  static ModularFingerprint random(std::uint64_t k);

  friend ModularFingerprint operator+(const ModularFingerprint& a, const ModularFingerprint& b) {
    ModularFingerprint r;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t v = a.r_[i] + b.r_[i];
      r.r_[i] = v >= primes[i] ? v - primes[i] : v;
    }
    return r;
  }
  friend ModularFingerprint operator-(const ModularFingerprint& a) { return ModularFingerprint() - a; }
  friend ModularFingerprint operator-(const ModularFingerprint& a, const ModularFingerprint& b) {
    ModularFingerprint r;
    for (std::size_t i = 0; i < 3; ++i) r.r_[i] = a.r_[i] >= b.r_[i] ? a.r_[i] - b.r_[i] : a.r_[i] + primes[i] - b.r_[i];
    return r;
  }
  friend ModularFingerprint operator*(const ModularFingerprint& a, const ModularFingerprint& b);
  /// a⁻¹; a must have no zero residue.
  friend ModularFingerprint inverse(const ModularFingerprint& a);
  friend bool operator==(const ModularFingerprint& a, const ModularFingerprint& b) { return a.r_ == b.r_; }

  bool zero() const { return r_[0] == 0 && r_[1] == 0 && r_[2] == 0; }
  bool invertible() const { return r_[0] != 0 && r_[1] != 0 && r_[2] != 0; }
  /// Exactly one of a and −a is positive, unless a = 0: the representative of both.
  bool positive() const { return r_[0] <= primes[0] / 2; }
  std::size_t hash() const { return static_cast<std::size_t>(r_[0] ^ (r_[1] << 3)); }

 private:
  std::array<std::uint64_t, 3> r_;
};

/// The positive one of a value and its opposite.
inline ModularFingerprint unsigned_value(const ModularFingerprint& a) { return a.positive() ? a : -a; }

/// A point (c, s) of the circle c² + s² = 1.
struct CirclePoint {
  ModularFingerprint c, s;
};
/// c = (1 − t²) / (1 + t²), s = 2 t / (1 + t²) at the k-th pseudo-random t.
CirclePoint random_circle_point(std::uint64_t k);
/// The point of the sum of two angles; `conjugate` is that of the opposite angle.
CirclePoint operator*(const CirclePoint& a, const CirclePoint& b);
inline CirclePoint conjugate(const CirclePoint& a) { return {a.c, -a.s}; }

/// A point of the sphere x² + y² + z² + w² = 1: the square of a pseudo-random quaternion over its squared norm.
std::array<ModularFingerprint, 4> random_unit_quaternion(std::uint64_t k);

}  // namespace sparsedyn
