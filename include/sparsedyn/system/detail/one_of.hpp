// What is of order one of an unknown, where it has no other number to stand beside.
#pragma once

#include <algorithm>

#include "sparsedyn/model/detail/natural_units.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// In the unknown's unit, by natural_units of the system's model: 1 for a robot of a metre and a kilogram or more.
inline double one_of(const System& system, const NaturalUnits& units, int unknown) noexcept {
  const Variable& variable = system.unknowns()[static_cast<std::size_t>(unknown)];
  const auto slides = [&](const BodyTerms& t) {
    const Motion<double>& s = t.subspace[variable.component - t.joint.v];
    return s.w[0] == 0 && s.w[1] == 0 && s.w[2] == 0;
  };
  switch (variable.kind) {
    case VariableKind::acc: return variable.component < 3 ? 1 : units.acceleration();
    case VariableKind::f:
    case VariableKind::fx:
    case VariableKind::net: return variable.component < 3 ? units.moment() : units.force();
    case VariableKind::tau:
      return slides(system.terms()[static_cast<std::size_t>(variable.body)]) ? units.force() : units.moment();
    case VariableKind::ddq: return slides(system.terms()[static_cast<std::size_t>(variable.body)]) ? units.acceleration() : 1;
    default: return std::min(units.moment(), units.force());
  }
}

}  // namespace sparsedyn
