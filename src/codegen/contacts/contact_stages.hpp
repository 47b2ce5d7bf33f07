// What generated contact dynamics compute in a straight line: before the iteration, in each of its steps, and after it.
//
// Only freedoms on the way from a contact to the base feel the contact forces. M = LᵀDL goes from the tips to the base, so all
// others are eliminated once a state; a step eliminates H = M + Σ Jᵀ K J on the rest alone. Links are described in one frame,
// that of the free base (else the world), where the base's columns of J are unit vectors and contacts of one link add up:
//   K_b = Σ G_cᵀ h_c G_c (6 × 6),   w_b = Σ G_cᵀ t_c,   H_ij += S_i · K S_j,   K the sum over the bodies beyond joint j.
#pragma once

#include <vector>

#include "constraints/blocks.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// A constraint on one freedom: a stop or dry friction.
struct JointRow {
  const RowBlock* block;
  int freedom;   // of v
  double sign;   // of the acceleration in the row
  double limit;  // of q, of stops
};

/// A robot's constraints, sorted for generated code. Refers to the blocks.
struct ContactLayout {
  std::vector<const RowBlock*> contacts;
  std::vector<JointRow> joint_rows;
  std::vector<int> bodies;           // that carry contacts
  std::vector<int> contact_body;     // of each contact: its place in `bodies`
  std::vector<Mat3<double>> planes;  // axes, by rows: normal, t1, t2
  std::vector<int> contact_plane;    // of each contact
  std::vector<int> moved;            // freedoms that constraints move, ascending
  std::vector<int> others;           // all other freedoms
  std::vector<int> place;            // of each freedom in `moved`, or -1
  std::vector<int> joint_freedoms;   // freedoms with joint rows, ascending
  int directions = 1;                // most of a contact
};

/// Throws std::invalid_argument, naming the constraint, for connect, weld and joint, which generated code does not know.
ContactLayout contact_layout(const Model& model, const std::vector<RowBlock>& blocks);

/// In doubles: K of a body, 6 rows, and w take rows of this length.
constexpr int row_room = 8;

/// The programs. Ports that pass from one to the other have one name in both.
struct ContactStages {
  /// q, dq, tau (fx) → M, push (of moved), S (columns that vary), motion (velocity, then drift, of each contact's body), where
  /// (centre and gap of each contact), axes (of the planes), rest (of the other freedoms), fixed_pivots (D and diagonal).
  Program prepare;
  /// M, push, S, K, w, dh, dt (of joint_freedoms) → x (moved), y (of bodies), pivots.
  Program step;
  /// rest, x → ddq.
  Program finish;
};

ContactStages contact_stages(const Model& model, const ContactLayout& layout, bool wrenches);

}  // namespace sparsedyn
