// First derivatives through contacts, recorded: at the answer, with θ any of q, v, τ
// (constraints/derivatives/constrained_derivatives.hpp),
//   (M + Jᵀ h J) ∂a/∂θ = ∂τ/∂θ − ∂ID/∂θ + ∂(Jᵀλ)/∂θ + Jᵀ (λ ∘ ∂ ln D/∂θ − h ∂j/∂θ).
//
// In the frame of contact_frames.hpp a contact's share of the right side is linear in the motion s_i that a change of q_i gives
// its body: with u = a + S c + B v of the bodies, λ the parent of the body that i leads, and sums over the bodies beyond,
//   row k above i:  s_k · (X s_i + K z_i + B K w_i)            z_i = s_i × (a + S c)_λ,  w_i = s_i × v_λ
//   row k below i:  the same with the sums beyond k, and the forces' turn, (s_i × s_k) · f.
// X (6 × 6) is summed up by the hand-written part: what the contact's geometry, its firmness and its own u contribute.
#pragma once

#include "codegen/minimal/minimal_formulation.hpp"
#include "contact_frames.hpp"

namespace sparsedyn {

/// What the slopes' ports hold.
struct SlopePorts {
  /// Numbers in a row of `sides`: nv by q, nv by v, nv by τ, and zeros up to a multiple of eight.
  static int width(const Model& model) { return (3 * model.nv + 7) / 8 * 8; }
  /// Rows of a freedom in `columns`: s, z, w, and Σ S_k ∂c_k/∂v_i.
  static constexpr int of_column = 4;
};

/// q, dq, (fx), ddq, K, X, KB (bodies × 6 rows), f (bodies), dh, by_q, by_v (of joint_freedoms) →
/// factors (L below the diagonal, by freedom in the order of ContactLayout::before), pivots (D and diagonal of H),
/// sides (D⁻¹ L⁻ᵀ of the right sides: nv rows), columns (of ContactLayout::columns, and of each SlopePorts::of_column rows).
/// With loops also laws and pulled → loop_slopes (loop_slopes.hpp), and for factors and pivots H (by freedom, itself, then as
/// factors), of the right sides as they are. KB is an input where contacts differ in B. `dynamics_alone`: without the contacts,
/// to compare formulations by.
void record_slopes(Recorder& recorder, const Model& model, const MinimalFormulation& f, const ContactLayout& layout,
                   bool wrenches, bool dynamics_alone);

/// In the cheapest formulation.
Program contact_slopes(const Model& model, const ContactLayout& layout, bool wrenches);

}  // namespace sparsedyn
