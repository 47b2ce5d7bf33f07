// Rows of connect, weld and joint constraints, recorded: what of them is a straight line. Quaternions, impedances and aims
// follow in the hand-written part (loops_text.cpp). Axes are those of contact_frames.hpp.
#pragma once

#include "contact_frames.hpp"

namespace sparsedyn {

/// Where a loop's numbers stand.
struct LoopPlace {
  int row, entry, number;  // its first among all rows, entries of E, numbers of `loops`
};
/// Of each loop, and past the last.
std::vector<LoopPlace> loop_places(const ContactLayout& layout);

/// The ports E, loops and turn.
/// E: of each loop, freedom by freedom of its block, its rows of J; of a weld's angular rows what G multiplies, R2ᵀ (w1 − w2).
/// loops: of joint φ, φ̇ and what φ̈ has at q̈ = 0; of pairs these of the points, 3 each; of weld also R2ᵀ R1, ω, its change, R2.
/// turn: the axes in the world, of pairs.
void record_loops(Recorder& recorder, const Model& model, const ContactLayout& layout, const Frames& frames,
                  const std::vector<Expr>& q, const std::vector<Expr>& v);

}  // namespace sparsedyn
