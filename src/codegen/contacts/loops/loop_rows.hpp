// Rows of connect, weld and joint constraints, recorded: what of them is a straight line. Quaternions, impedances and aims
// follow in the hand-written part (loops_text.cpp). Axes are those of contact_frames.hpp.
#pragma once

#include "codegen/contacts/contact_frames.hpp"

namespace sparsedyn {

/// Where a loop's numbers stand.
struct LoopPlace {
  int row, entry, number;  // its first among all rows, entries of E, numbers of `loops`
};
/// Of each loop, and past the last.
std::vector<LoopPlace> loop_places(const ContactLayout& layout);

/// Writes the outputs E, loops and turn of the program.
/// E holds the rows of J of each loop, freedom by freedom of the loop's block. The angular rows of a weld are not multiplied by
/// G yet: E holds R2ᵀ (w1 − w2) for them. loops holds, for a joint constraint, φ, φ̇ and the value of φ̈ at q̈ = 0; for a connect
/// and a weld the same three of the two points (3 numbers each); for a weld also R2ᵀ R1, the relative angular velocity ω, its
/// rate, and R2. turn holds the axes of a connect and of a weld in the world frame.
void record_loops(Recorder& recorder, const Model& model, const ContactLayout& layout, const Frames& frames,
                  const std::vector<Expr>& q, const std::vector<Expr>& v);

}  // namespace sparsedyn
