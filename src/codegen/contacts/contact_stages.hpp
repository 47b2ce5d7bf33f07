// What generated contact dynamics compute in a straight line: before the iteration, in each of its steps, and after it.
//
// Only freedoms on the way from a contact to the base feel the contact forces. M = LᵀDL goes from the tips to the base, so all
// others are eliminated once a state; a step eliminates H = M + Σ Jᵀ K J on the rest alone. Links are described in one frame,
// that of the free base (else the world), where the base's columns of J are unit vectors and contacts of one link add up:
//   K_b = Σ G_cᵀ h_c G_c (6 × 6),   w_b = Σ G_cᵀ t_c,   H_ij += S_i · K S_j,   K the sum over the bodies beyond joint j.
#pragma once

#include "codegen/programs/varying_robot.hpp"
#include "contact_layout.hpp"
#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// The programs. Ports that pass from one to the other have one name in both.
struct ContactStages {
  /// q, dq, tau (fx, pi) → M, push (of moved), S (columns that vary), motion (velocity, then drift, of each contact's body),
  /// where (centre and gap of each contact), axes (of the planes), rest (of the other freedoms), fixed_pivots (D and diagonal);
  /// with loops also E, loops, turn (loop_rows.hpp), which the hand-written part adds to M and push.
  Program prepare;
  /// M, push, S, K, w, dh, dt (of joint_freedoms) → x (moved), y (of bodies), pivots.
  Program step;
  /// rest, x → ddq.
  Program finish;
};

/// `varying`: the robot has parameters that are the last input of `prepare`, `pi`; model is the layout's, without them.
ContactStages contact_stages(const Model& model, const ContactLayout& layout, bool wrenches,
                             const VaryingRobot* varying = nullptr);

}  // namespace sparsedyn
