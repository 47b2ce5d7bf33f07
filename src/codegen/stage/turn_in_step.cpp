// With y = x², the functions
//   C₀ = cos x,   C₁ = sin x/x,   C₂ = (1 − cos x)/x²,   C₃ = (x − sin x)/x³
// are power series in y. They are summed at (x/16)², and the angle is doubled four times:
//   C₀(2x) = 1 − 2 x² C₁²,    C₁(2x) = C₀ C₁,    C₂(2x) = C₁²/2,    C₃(2x) = (C₃ + C₁ C₂)/4.
// A straight line has no branch, so sin x/x itself is none: it has no number at rest, where derivatives are wanted most.
#include "turn_in_step.hpp"

#include <cstddef>

namespace sparsedyn {
namespace {

constexpr double kPi = 3.14159265358979323846;

LocalJet number(double x) { return LocalJet(Expr(x)); }

/// Σ (−y)ᵏ/(2k + first)!, k up to 8; the first term left out is below 1e-18 of the sum for y up to 0.16, in second
/// derivatives, too.
LocalJet series(const LocalJet& y, int first) {
  double terms[9], factorial = 1;
  for (int n = 1, k = 0; k < 9; ++k) {
    for (; n <= 2 * k + first; ++n) factorial *= n;
    terms[k] = (k % 2 ? -1 : 1) / factorial;
  }
  LocalJet sum = number(terms[8]);
  for (int k = 7; k >= 0; --k) sum = number(terms[k]) + y * sum;
  return sum;
}

/// C₀ to C₃ at x² = `of_y` y.
struct TurnFunctions {
  TurnFunctions(double by, const LocalJet& y) : of_y(by) {
    for (int k = 0; k < 4; ++k) C[k] = series(number(of_y) * y, k);
  }
  void double_angle(const LocalJet& y) {
    const LocalJet square = C[1] * C[1];
    C[3] = number(0.25) * (C[3] + C[1] * C[2]), C[2] = number(0.5) * square;
    C[1] = C[0] * C[1], C[0] = number(1) - number(2 * of_y) * y * square;
    of_y *= 4;
  }
  double of_y;
  LocalJet C[4];
};

/// At half the angle of φ, by y = |φ/2|². C₁, of which all turns and shifts are made, holds, far below rounding, what is NaN
/// where the series ends.
TurnFunctions at_half_turn(const LocalJet& y) {
  TurnFunctions half(1.0 / 256, y);
  for (int k = 0; k < 4; ++k) half.double_angle(y);
  half.C[1] = half.C[1] + LocalJet(Expr(1e-30) * sqrt(Expr(4 * kPi * kPi) - y.value()));
  return half;
}

/// A function of |φ/2|².
LocalJet of_square(const LocalJet& square, const LocalJet& f) {
  return LocalJet::composed(square, f.value(), f.slope(0), f.curvature(0, 0));
}

}  // namespace

JetQuaternion operator*(const JetQuaternion& a, const JetQuaternion& b) {
  return {a.scalar * b.vector + b.scalar * a.vector + cross(a.vector, b.vector), a.scalar * b.scalar - dot(a.vector, b.vector)};
}

JetQuaternion conjugate(const JetQuaternion& a) { return {number(-1) * a.vector, a.scalar}; }

JetQuaternion values(const JetQuaternion& a) { return {values(a.vector), LocalJet(a.scalar.value())}; }

JetVector turned_back(const JetQuaternion& e, const JetVector& x) {
  const JetVector t = number(2) * cross(e.vector, x);
  return x - e.scalar * t + cross(e.vector, t);
}

JetQuaternion quaternion_of_turn(const JetVector& phi) {
  const LocalJet square = number(0.25) * dot(phi, phi);
  const TurnFunctions half = at_half_turn(LocalJet::variable(square.value(), 0, 1, square.curved()));
  return {number(0.5) * of_square(square, half.C[1]) * phi, of_square(square, half.C[0])};
}

JetVector exponential_shift(const JetVector& phi, const JetVector& v) {
  const LocalJet square = number(0.25) * dot(phi, phi), y = LocalJet::variable(square.value(), 0, 1, square.curved());
  TurnFunctions f = at_half_turn(y);
  f.double_angle(y);
  const JetVector once = cross(phi, v);
  return v + of_square(square, f.C[2]) * once + of_square(square, f.C[3]) * cross(phi, once);
}

JetQuaternion quaternion_of_change(const JetVector& delta) {
  return {number(0.5) * delta, number(1) - number(0.125) * dot(delta, delta)};
}

}  // namespace sparsedyn
