#include "tracking/visibility/arbitrary_postures.hpp"

#include <cmath>

#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::tracking {

std::vector<std::vector<double>> arbitrary_postures(const Model& model) {
  std::vector<std::vector<double>> found;
  for (double share : {1.0, 0.6, 0.3, 0.1, -0.2, -0.6, -1.0}) {
    std::vector<double> q(static_cast<std::size_t>(model.nq)), zero(q), step(static_cast<std::size_t>(model.nv));
    for (std::size_t k = 0; k < step.size(); ++k) step[k] = share * (0.4 + 0.5 * std::sin(1.3 * static_cast<double>(k)));
    neutral(model, zero.data());
    integrate(model, zero.data(), step.data(), q.data());
    found.push_back(q);
  }
  return found;
}

}  // namespace sparsedyn::tracking
