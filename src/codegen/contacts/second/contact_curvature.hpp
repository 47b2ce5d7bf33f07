// Second derivatives through contacts, times multipliers λ, recorded. At the answer, with the contacts' states held,
//   F(θ, a) = ID(q, v, a) − τ − Σ Jᵀ f = 0,     ∂F/∂a = M + Jᵀ h J,     μ = −(∂F/∂a)⁻¹ λ,
// the implicit function theorem, applied twice, gives
//   λᵀ ∂²a = μᵀ ∂²F along (θ, ∂a/∂θ θ).
// A contact's share of μᵀF is −ψ, ψ = Σ w_k f_k(j), which depends on the state through
//   w = row · V(μ),   p = row · (a + S c + B v),   the gap g less its margin: r,      j_n = p_n + K d(r) r,
// V(μ) being the motion of its link at the rates μ. So
//   ∂²ψ = ∂sᵀ ψ_ss ∂s + ψ_s ∂²s,     s = (w, p, r).
// With multipliers η of the forces, λᵀ∂²a + ηᵀ∂²f is the same with w − η in place of w, η being constant along a contact's
// axes, and μ = −(∂a/∂τ)ᵀ λ − (∂f/∂τ)ᵀ η. The hand-written part evaluates ψ_s and ψ_ss (curvature_text.cpp); ∂s, and ∂²s times
// ψ_s, are straight lines.
#pragma once

#include "codegen/contacts/contact_layout.hpp"
#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// q, dq, ddq, mu → w (of each contact its directions), touch_slopes: of each contact, rows of SlopePorts::width numbers, by q,
/// v and a: ∂w, then ∂p of each direction, then ∂r.
Program touch_slopes(const Model& model, const ContactLayout& layout);

/// q, dq, (fx), ddq, mu, on_w, on_p (of each contact its directions), on_r (contacts), with loops LoopPorts → of
/// μᵀ∂²ID − ψ_s ∂²s − ∂² loop_share (loop_curvature.hpp) by (q, v, a) what is not zero at every state: qq and vv (lower
/// triangles), vq and aq (nv × nv).
Program touch_curvature(const Model& model, const ContactLayout& layout, bool wrenches);
/// The same without μᵀ∂²ID.
Program constraint_curvature(const Model& model, const ContactLayout& layout);

}  // namespace sparsedyn
