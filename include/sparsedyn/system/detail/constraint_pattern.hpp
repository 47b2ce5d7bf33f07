// The matrix of a Newton step under constraints, M + Jᵀ h J, as a plan sees it: one row and one column a freedom.
#pragma once

#include <string>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

/// Where it can be nonzero, whatever constraints are active; symmetric. Throws as ConstrainedDynamics does.
Pattern constraint_pattern(const Model& model, const ConstraintSet& set);

/// Of what a plan for this pattern depends on: the freedoms' names, who shares an entry with whom (joints that follow others
/// included), the constraints by name, kind and links.
std::string constraint_fingerprint(const Model& model, const ConstraintSet& set);

}  // namespace sparsedyn
