// Derivatives of connect, weld and joint constraints, recorded: what ConstraintRows makes of two links, on numbers that carry
// their change (constraints/derivatives/row_derivatives.hpp), in the frame of contact_frames.hpp.
#pragma once

#include "codegen/contacts/contact_frames.hpp"
#include "codegen/programs/recorded_dynamics.hpp"

namespace sparsedyn {

/// Numbers of a loop in the port `laws`: K of φ in j (ω², or K d), by how much that grows with φ · δφ, likewise ln D; of a weld
/// then the quaternion of R2ᵀ R1.
int laws_of(const RowBlock& loop);
/// Of a freedom of a loop in the port `loop_slopes`: ∂j/∂q and ∂j/∂v by row, ∂ ln D/∂q, and what a weld's moment changes by.
inline int slopes_of(const RowBlock& loop) { return 2 * loop.rows + 4; }

/// Reads laws and pulled (the forces of the rows), writes loop_slopes, and takes ∂(Jᵀλ)/∂q off `of`.
void record_loop_slopes(Recorder& recorder, const Model& model, const ContactLayout& layout, const Frames& frames,
                        const std::vector<Expr>& q, const std::vector<Expr>& v, const std::vector<Expr>& a,
                        RecordedDerivatives& of);

}  // namespace sparsedyn
