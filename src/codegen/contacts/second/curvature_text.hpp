// The hand-written part of second derivatives through contacts: how a contact's force bends, and products with ∂a/∂θ.
#pragma once

#include <string>

namespace sparsedyn {

/// @_curve, which computes λᵀ∂²a at an answer from the columns ∂a/∂θ, after the stages of contact_curvature.hpp and the helpers
/// of first derivatives. wrenches: with the input fx; loops: with connect, weld or joint constraints; forces: with the input
/// force_multipliers.
std::string contact_curvature_text(bool wrenches, bool loops, bool forces);

}  // namespace sparsedyn
