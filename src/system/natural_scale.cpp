#include "sparsedyn/system/detail/natural_scale.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/system/detail/one_of.hpp"

namespace sparsedyn {
namespace {

constexpr double small = 1e-3;

}  // namespace

std::vector<double> natural_scale(const System& system) {
  const NaturalUnits units = natural_units(system.model());
  std::vector<double> scale(system.unknowns().size(), 1.0);
  if (!(std::min({units.acceleration(), units.force(), units.moment()}) < small)) return scale;
  for (std::size_t j = 0; j < scale.size(); ++j)
    scale[j] = std::exp2(std::round(std::log2(one_of(system, units, static_cast<int>(j)))));
  return scale;
}

}  // namespace sparsedyn
