// From one knot to the next by the interval's mean accelerations z (of the base: rates of its twist (ω, v_b) in its own axes):
//   joints   dq⁺ = dq + dt ddq,   q⁺ = q ⊕ dt (dq + ϑ dt ddq)      (one freedom: +)
//   base     ω⁺ = ω + dt z_ω,   v_b⁺ = v_b + dt z_v,   R⁺ = R exp(dt ω̄),  ω̄ = ω + ϑ dt z_ω,   v⁺ = R⁺ v_b⁺,   p⁺ = p + ½ dt (v
//   + v⁺)
// With common left errors, to first order, and Δ = A (δω + ϑ dt δz_ω), A = dt R⁺ J_r(dt ω̄):
//   θ⁺ = θ + Δ,  δω⁺ = δω + dt δz_ω,  δv⁺ = R⁺ (Rᵀ δv + dt δz_v),  δp⁺ = δp + ½ dt (δv + δv⁺) − [½ dt v⁺ − p⁺]× Δ,  δd⁺ = δd +
//   [d]× Δ
// Of a foot that rolls (rolling.hpp) d⁺ = d + u, and with W, W⁺ how joints turn its link, in the world,
//   δd⁺ = δd + r [φ]× [n]× θ + ([d⁺]× + B) Δ + B W⁺ δq⁺ − B exp(φ) W δq
// A turn of the world about any axis and a shift of it pass through unchanged: gravity is in the interval's rows alone.
#pragma once

#include "tracking/whole/gaussian.hpp"
#include "tracking/whole/whole_feet.hpp"
#include "tracking/whole/whole_knot.hpp"

namespace sparsedyn::tracking {

/// How the foothold of a foot that rolls moves with the turn of the world, of the base over the interval, and with joints
/// before and after it: 3 × layout.joints row by row.
struct RollJacobian {
  Matrix3 by_turn, by_end;
  std::vector<double> before, after;
  bool there = false;  // also of a robot without joints
};

/// The derivative of a step, by blocks.
struct WholeJacobian {
  explicit WholeJacobian(const WholeLayout& layout);
  double dt = 0;
  Matrix3 A, R, onward;             // A, R⁺, R⁺ Rᵀ
  Matrix3 arm;                      // [½ dt v⁺ − p⁺]×
  std::vector<Vector3> footholds;   // d⁺
  std::vector<RollJacobian> rolls;  // by point; empty of those that do not
  std::vector<double> turn;         // to work with: 3 × nv
  bool any_rolls = false;
  std::vector<GroupStep> groups;  // of joints of several freedoms: δq⁺ = E δq + dt J (δdq + ϑ dt δz)

  /// [d⁺]×, of a foot that rolls [d⁺]× + B: how a foothold moves with a turn Δ of the base.
  Matrix3 foothold_by_turn(std::size_t point) const noexcept {
    const Matrix3 held = hat(footholds[point]);
    return rolls[point].there ? held + rolls[point].by_end : held;
  }
};

/// `next` becomes the knot after the interval, `F` the derivative there. x.z: of that interval. feet: to work with. No heap.
void step_whole(const WholeLayout& layout, const WholeKnot& x, double dt, WholeFeet& feet, WholeKnot& next,
                WholeJacobian& F) noexcept;
/// e becomes F e. No heap.
void carry(const WholeLayout& layout, const WholeJacobian& F, double* e) noexcept;
/// λ becomes Fᵀ λ. No heap.
void carry_back(const WholeLayout& layout, const WholeJacobian& F, double* lambda) noexcept;
/// P becomes F P Fᵀ. scratch: 9 n. No heap.
void carry(const WholeLayout& layout, const WholeJacobian& F, Gaussian& e, std::vector<double>& scratch) noexcept;

}  // namespace sparsedyn::tracking
