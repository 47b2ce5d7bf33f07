// Inverse dynamics and the joint-space inertia matrix, recorded in the formulation that is chosen, joint physics included.
#pragma once

#include <vector>

#include "codegen/minimal/branch_factors.hpp"
#include "codegen/minimal/minimal_formulation.hpp"
#include "wrench_inputs.hpp"

namespace sparsedyn {

/// tau. a = nullptr means zero.
std::vector<Expr> inverse_dynamics(const Model& model, const MinimalFormulation& f, const std::vector<Expr>& q,
                                   const std::vector<Expr>& v, const Expr* a, const WrenchInputs& fx);

/// M(q) by its lower triangle: composite bodies, or the derivatives' by-product where there is no minimal tree.
JointSpaceMatrix<Expr> joint_space_matrix(const Model& model, const MinimalFormulation& f, const std::vector<Expr>& q);

}  // namespace sparsedyn
