#include "sparsedyn/system/detail/negligible_sizes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sparsedyn/system/detail/one_of.hpp"

namespace sparsedyn {
namespace {

constexpr double as_good_as_zero = 1e-10, beside_all = 1e-12;

enum Unit : char { turning, shifting, moment, force, unknown_unit, units };

Unit unit_of(const System& system, const Variable& variable) {
  const auto slides = [&] {
    const BodyTerms& t = system.terms()[static_cast<std::size_t>(variable.body)];
    const Vec3<double>& w = t.subspace[variable.component - t.joint.v].w;
    return w[0] == 0 && w[1] == 0 && w[2] == 0;
  };
  switch (variable.kind) {
    case VariableKind::acc: return variable.component < 3 ? turning : shifting;
    case VariableKind::f:
    case VariableKind::fx:
    case VariableKind::net: return variable.component < 3 ? moment : force;
    case VariableKind::tau: return slides() ? force : moment;
    case VariableKind::ddq: return slides() ? shifting : turning;
    default: return unknown_unit;
  }
}

}  // namespace

NegligibleSizes::NegligibleSizes(const System& system, std::size_t more)
    : unit_(system.unknowns().size() + more, unknown_unit), one_(unit_.size(), 0.0), size_(unit_.size()) {
  const NaturalUnits natural = natural_units(system.model());
  for (std::size_t j = 0; j < system.unknowns().size(); ++j) {
    unit_[j] = unit_of(system, system.unknowns()[j]);
    one_[j] = one_of(system, natural, static_cast<int>(j));
  }
}

const double* NegligibleSizes::beside(const double* x) noexcept {
  std::array<double, units> largest{};
  for (std::size_t j = 0; j < unit_.size(); ++j) {
    double& of_unit = largest[static_cast<std::size_t>(unit_[j])];
    of_unit = std::max(of_unit, std::abs(x[j]));
  }
  for (const double of_unit : largest) largest[unknown_unit] = std::max(largest[unknown_unit], of_unit);
  for (std::size_t j = 0; j < unit_.size(); ++j) {
    const double beside = std::max(one_[j], largest[static_cast<std::size_t>(unit_[j])]);
    size_[j] = (unit_[j] == unknown_unit ? beside_all : as_good_as_zero) * beside;
  }
  return size_.data();
}

}  // namespace sparsedyn
