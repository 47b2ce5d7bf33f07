// The gradient of a sum of torques by a reverse sweep.
#pragma once

#include <vector>

#include "codegen/programs/recorded_dynamics.hpp"

namespace sparsedyn {

/// ∂(wᵀ ID(q, v, a))/∂q, along the tangent, and ∂/∂v; a and w are held constant. nv each.
struct TorqueGradient {
  std::vector<Expr> q, v;
};

/// Inverse dynamics are recorded once more, as a program of their own in which a and w are inputs: in this recording ID at q̈ is
/// τ itself, which has no derivative by q. About three times the operations of inverse dynamics.
TorqueGradient torque_gradient(const Model& model, const MinimalFormulation& f, const std::vector<Expr>& q,
                               const std::vector<Expr>& v, const std::vector<Expr>& a, const std::vector<Expr>& w);

}  // namespace sparsedyn
