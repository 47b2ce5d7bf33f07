// What multipliers η of the constraints' forces bring to the hand-written part of second derivatives (curvature_text.cpp): what
// force_multipliers.hpp and shared_forces.hpp say, as C.
#pragma once

#include <string>

namespace sparsedyn {

/// The text of curvature_text.cpp with what η adds at its marks, or nothing.
std::string with_force_multipliers(std::string text, bool forces, bool loops);

/// Functions in front of it.
std::string force_multipliers_text(bool wrenches, bool loops);

/// In it, of loops: what moments of welds and forces of redundant rows add.
std::string loop_forces_call(bool wrenches);

/// How @_derive hands on what @_curve takes more.
std::string force_multipliers_handed_on(bool loops);

}  // namespace sparsedyn
