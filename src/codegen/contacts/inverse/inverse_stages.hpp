// What generated inverse dynamics under contacts compute in a straight line, before the forces are known and after. With
// τ₀ = ID(q, v, a) and the forces f(j) of all rows, j = J a − a*,
//   τ = τ₀ − Jᵀ f.
// Links are described in the frame of contact_frames.hpp, where the contacts of one link add up to one wrench w_b = Σ G_cᵀ f_c:
//   τ_k = τ₀_k − S_k · Σ w_b over the bodies beyond joint k.
#pragma once

#include "codegen/contacts/contact_layout.hpp"
#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// The programs. Ports that pass from one to the other have one name in both.
struct InverseStages {
  /// q, dq, ddq (fx) → id (τ₀), S (columns that vary), y (S a of each contact's body), motion, where, axes as ContactStages;
  /// with loops also E, loops, turn.
  Program prepare;
  /// id, S, w (of bodies), dt (of joint_freedoms: the pushes of stops and dry friction) → tau.
  Program finish;
};

InverseStages inverse_stages(const Model& model, const ContactLayout& layout, bool wrenches);

}  // namespace sparsedyn
