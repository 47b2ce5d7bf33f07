// What Runge and Kutta's method asks of one joint: q ⊕ θ, and the rate at which θ moves.
#pragma once

#include <vector>

#include "local_jet.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Of a joint of n freedoms, q ⊕ θ. Variables: a change δ of q along the tangent, then θ, n each.
struct JointMove {
  std::vector<Expr> q;           // coordinates behind the move
  std::vector<LocalJet> change;  // n: those along the tangent there; their values are zero
};

/// q, theta: of the robot. `curved`: with second derivatives, along exponentials at both ends: symmetric.
JointMove moved_joint(const Body& body, const std::vector<Expr>& q, const std::vector<Expr>& theta, bool curved);

/// θ' = v + ½ [θ, v] + 1/12 [θ, [θ, v]], as exponential_rate (simulation/exponential_rate.hpp). Variables: θ, then v.
std::vector<LocalJet> joint_exponential_rate(const Body& body, const std::vector<Expr>& theta, const std::vector<Expr>& v,
                                             bool curved);

}  // namespace sparsedyn
