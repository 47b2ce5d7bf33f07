// Connect, weld and joint constraints in second derivatives, recorded. A row's force f is an unknown beside the accelerations,
//   R f + m = 0,     m = J a less what it aims at,     R = 1/D of a soft row, 0 of a hard one,
// and its share of μᵀF + νᵀ(R f + m) is
//   −w f + ν (R f + m),     w = J μ,
// where the adjoint equations give ν = Σ λ_i ∂f/∂τ_i, which is D w of a soft row. Twice differentiated along (θ, ∂a/∂θ, ∂f/∂θ):
//   −f ∂²w + ν (f ∂²R + ∂²m)     at constant f and ν: loop_share, a term of touch_curvature,
//   (ν ∂R − ∂w) ∂fᵀ and its transpose:  the hand-written part (curvature_text.cpp), from loop_turns.
// Axes are those of contact_frames.hpp at the state itself: they do not turn with the base.
// With multipliers η of the forces, w − η stands for w everywhere. It is constant but for a weld's moment R2 Gᵀ f: η of that is
// G R2ᵀ η of f, which turns with the links (moment_multipliers).
#pragma once

#include "codegen/contacts/contact_layout.hpp"
#include "codegen/programs/expr_vector.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/codegen/recorder.hpp"

namespace sparsedyn {

/// Numbers of a loop in the port `loop_bends`: the stiffness K of the error φ and its two derivatives by |φ|²/2; Σ w f times R'
/// and R'' beside R; of a weld then the quaternion of R2ᵀ R1.
int bends_of(const RowBlock& loop);

/// What loops read in a recording of their own: `loops` and `turn` (loop_rows.hpp) and bends at the state itself, f and ν of
/// the rows.
struct LoopPorts {
  LoopPorts(Recorder& recorder, const ContactLayout& layout);
  /// In the order of the inputs.
  std::vector<ExprVector> values() const { return {loops, turn, bends, force, nu}; }
  ExprVector loops, turn, bends, force, nu;
};

/// Σ w f − ν (R f + m) of all loops where the robot has moved to q, v, a, μ, at constant f and ν.
Expr loop_share(const Model& model, const ContactLayout& layout, const LoopPorts& at, const ExprVector& q, const ExprVector& v,
                const ExprVector& a, const ExprVector& mu);

/// q, mu, loops, turn, loop_bends → loop_turns: ∂w/∂q, of each loop freedom by freedom of its block, rows in each.
Program loop_turns(const Model& model, const ContactLayout& layout);

/// Of welds, with multipliers loop_eta of their moments, 3 each, along the axes of the state itself: q, LoopPorts, loop_eta →
/// eta_turns, ∂η/∂q of the three rows of each that turn, as loop_turns has them; eta_bends (lower triangle), Σ f ∂²η.
Program moment_multipliers(const Model& model, const ContactLayout& layout);
std::size_t welds_of(const ContactLayout& layout);

}  // namespace sparsedyn
