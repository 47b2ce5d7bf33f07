// Connect, weld and joint constraints in second derivatives, recorded. A row's force f is an unknown beside the accelerations,
//   R f + m = 0,     m = J a less what it aims at,     R = 1/D of a soft row, 0 of a hard one,
// and its share of μᵀF + νᵀ(R f + m) is
//   −w f + ν (R f + m),     w = J μ,
// where the adjoint equations give ν = Σ λ_i ∂f/∂τ_i, which is D w of a soft row. Twice differentiated along (θ, ∂a/∂θ, ∂f/∂θ):
//   −f ∂²w + ν (f ∂²R + ∂²m)     at constant f and ν: loop_share, a term of touch_curvature,
//   (ν ∂R − ∂w) ∂fᵀ and its transpose:  the hand-written part (curvature_text.cpp), from loop_turns.
// Axes are those of contact_frames.hpp at the state itself: they do not turn with the base.
// With multipliers η of the forces, w − η stands for w everywhere; η of a weld's rows turns with the links, as their moment
// does.
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
/// the rows; `forces`: if there are welds, loop_eta, the multipliers of their moments.
struct LoopPorts {
  LoopPorts(Recorder& recorder, const ContactLayout& layout, bool forces);
  /// In the order of the inputs.
  std::vector<ExprVector> values() const {
    std::vector<ExprVector> all{loops, turn, bends, force, nu};
    if (!eta.empty()) all.push_back(eta);
    return all;
  }
  ExprVector loops, turn, bends, force, nu, eta;
};

/// Σ w f − ν (R f + m) of all loops where the robot has moved to q, v, a, μ, at constant f and ν.
Expr loop_share(const Model& model, const ContactLayout& layout, const LoopPorts& at, const ExprVector& q, const ExprVector& v,
                const ExprVector& a, const ExprVector& mu);

/// q, mu, LoopPorts → loop_turns: ∂w/∂q, of each loop freedom by freedom of its block, rows in each.
Program loop_turns(const Model& model, const ContactLayout& layout, bool forces);

}  // namespace sparsedyn
