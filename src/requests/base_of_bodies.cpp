#include "base_of_bodies.hpp"

#include <numeric>

#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {

BaseOfBodies base_of_bodies(const Model& model, const std::vector<double>& pi) {
  std::vector<int> bodies(10 * model.joints.size());
  std::iota(bodies.begin(), bodies.end(), 0);
  const BaseParameters base = base_parameters_by_rules(model, bodies);
  return {base.independent, base.values(pi)};
}

}  // namespace sparsedyn
