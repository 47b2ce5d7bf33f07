// What one step of semi-implicit Euler does to one joint, with its derivatives.
#pragma once

#include <vector>

#include "local_jet.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Of a joint of n freedoms. Variables: a change δ of its coordinates along the tangent (q ⊕ δ), its velocities, its
/// accelerations, n each, then the duration h; 3 n + 1 in all.
struct JointStep {
  std::vector<Expr> q;           // coordinates behind the step
  std::vector<LocalJet> change;  // n: those along the tangent there, q⁺(δ, …) = q⁺ ⊕ change; their values are zero
  std::vector<LocalJet> v;       // n: velocities behind the step
};

/// As semi_implicit_step (simulation/semi_implicit.hpp): v⁺ = v + h a, q⁺ = q ⊕ h v⁺, shifts of a body that also turns in the
/// axes of its parent. q, v, a: of the robot. Second derivatives are those along exponentials at both ends: symmetric.
JointStep semi_implicit_joint_step(const Body& body, const std::vector<Expr>& q, const std::vector<Expr>& v,
                                   const std::vector<Expr>& a, const Expr& h);

}  // namespace sparsedyn
