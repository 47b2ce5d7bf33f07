// Inverse and forward dynamics and the joint-space inertia matrix, recorded in the formulation that is chosen, joint physics
// included.
#pragma once

#include <vector>

#include "codegen/minimal/branch_factors.hpp"
#include "codegen/minimal/minimal_formulation.hpp"
#include "wrench_inputs.hpp"

namespace sparsedyn {

/// tau. a = nullptr means zero.
std::vector<Expr> inverse_dynamics(const Model& model, const MinimalFormulation& f, const std::vector<Expr>& q,
                                   const std::vector<Expr>& v, const Expr* a, const WrenchInputs& fx);

/// Whether a minimal formulation may eliminate joint by joint: a rotor's inertia acts on what follows its joint and not on what
/// carries it, and a follower's on its leader, which minimal eliminations do not know.
bool eliminates_joints(const Model& model);

/// q̈.
std::vector<Expr> forward_dynamics(const Model& model, const MinimalFormulation& f, const std::vector<Expr>& q,
                                   const std::vector<Expr>& v, const std::vector<Expr>& tau, const WrenchInputs& fx);

/// M(q) by its lower triangle: composite bodies, or the derivatives' by-product where there is no minimal tree.
JointSpaceMatrix<Expr> joint_space_matrix(const Model& model, const MinimalFormulation& f, const std::vector<Expr>& q);

/// Of inverse dynamics: matrices by rows, q by its tangent.
struct RecordedDerivatives {
  std::vector<Expr> tau;
  std::vector<std::vector<Expr>> dtau_dq, dtau_dv;
  JointSpaceMatrix<Expr> M;
};
RecordedDerivatives inverse_dynamics_derivatives(const Model& model, const MinimalFormulation& f, const std::vector<Expr>& q,
                                                 const std::vector<Expr>& v, const std::vector<Expr>& a,
                                                 const WrenchInputs& fx);

}  // namespace sparsedyn
