// What is of order one of an unknown, where it has no other number to stand beside.
#pragma once

#include <algorithm>

#include "sparsedyn/model/detail/natural_units.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// What an unknown measures: an angular or linear acceleration, a moment, a force, or what the robot's units do not tell.
enum class UnknownUnit : char { turning, shifting, moment, force, other };

inline UnknownUnit unit_of(const System& system, int unknown) noexcept {
  const Variable& variable = system.unknowns()[static_cast<std::size_t>(unknown)];
  const auto slides = [&] {
    const BodyTerms& t = system.terms()[static_cast<std::size_t>(variable.body)];
    const Motion<double>& s = t.subspace[variable.component - t.joint.v];
    return s.w[0] == 0 && s.w[1] == 0 && s.w[2] == 0;
  };
  switch (variable.kind) {
    case VariableKind::acc: return variable.component < 3 ? UnknownUnit::turning : UnknownUnit::shifting;
    case VariableKind::f:
    case VariableKind::fx:
    case VariableKind::net: return variable.component < 3 ? UnknownUnit::moment : UnknownUnit::force;
    case VariableKind::tau: return slides() ? UnknownUnit::force : UnknownUnit::moment;
    case VariableKind::ddq: return slides() ? UnknownUnit::shifting : UnknownUnit::turning;
    default: return UnknownUnit::other;
  }
}

/// In the unknown's unit, by natural_units of the system's model: 1 for a robot of a metre and a kilogram or more.
inline double one_of(const System& system, const NaturalUnits& units, int unknown) noexcept {
  switch (unit_of(system, unknown)) {
    case UnknownUnit::turning: return 1;
    case UnknownUnit::shifting: return units.acceleration();
    case UnknownUnit::moment: return units.moment();
    case UnknownUnit::force: return units.force();
    default: return std::min(units.moment(), units.force());
  }
}

}  // namespace sparsedyn
