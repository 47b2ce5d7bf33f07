// Forces of loops along the world's axes, where rows and forces stand in the axes of a body (closure.hpp).
#pragma once

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Whether an unknown follows from those along the body's axes, by the row of kind world_force that names it.
inline bool is_world_force(const System& system, const Variable& unknown) noexcept {
  if (unknown.kind != VariableKind::lambda) return false;
  const Closure& closure = system.closures()[static_cast<std::size_t>(unknown.owner)];
  return closure.axes >= 0 && unknown.component >= closure.rows;
}

/// Whether a row is beside the laws of motion and the definitions of forces in world axes.
constexpr bool is_reading_or_loop(EquationKind kind) { return is_added(kind) && kind != EquationKind::world_force; }

}  // namespace sparsedyn
