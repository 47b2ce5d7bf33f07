// A foot that is a sphere of radius r rolls where it stands. Its centre c is the contact's point; no slip at the lowest point
// P = c − r n, n the upward vertical, says ċ = r ω × n with ω the angular velocity of the foot's link. So over a step in which
// that turns by exp(φ) in the world, c moves by
//   u = r φ × n,   φ = log(R_link⁺ R_linkᵀ)
// whatever it does inside: steps of rolling about one axis add up, and noise of the turns at their ends does not. With θ the
// common turn of all errors, ψ and ψ⁺ those of the link beside it, in the world, at both ends, to first order
//   δu − θ × u = r [φ]× [n]× θ + B ψ⁺ − B exp(φ) ψ,   B = −r [n]× V(φ)⁻¹
// A turn about n and a shift pass through unchanged.
#pragma once

#include <cmath>

#include "sparsedyn/model/model.hpp"
#include "tracking/rotation_vector.hpp"
#include "tracking/shared/block_rows.hpp"

namespace sparsedyn::tracking {

/// Against gravity; without gravity z.
inline Vector3 vertical_of(const Model& model) {
  const double g = std::sqrt(dot(model.gravity, model.gravity));
  return g > 0 ? (-1 / g) * model.gravity : Vector3{{0, 0, 1}};
}

struct Roll {
  Vector3 moved;            // u
  Matrix3 by_turn, by_end;  // r [φ]× [n]×, B
};

/// E: R_link⁺ R_linkᵀ, exp(φ).
inline Roll roll_over(double radius, const Matrix3& E, const Vector3& up) noexcept {
  const Vector3 turn = logarithm(E);
  return {radius * cross(turn, up), scaled(radius, hat(turn) * hat(up)),
          scaled(-radius, hat(up) * inverse_left_jacobian(turn))};
}

}  // namespace sparsedyn::tracking
