#include "massless.hpp"

#include "messages.hpp"
#include "model/loads.hpp"

namespace sparsedyn::cli {

std::string massless_advice(const Model& model) {
  const std::vector<Load> loads = joint_loads(model);
  std::vector<std::string> names;
  for (std::size_t j = 0; j < loads.size(); ++j)
    if (loads[j] == Load::nothing && model.joints[j].parent_link >= 0) names.push_back(model.joints[j].name);
  if (names.empty()) return "";
  return listing(names) + (names.size() == 1 ? " moves no mass and no inertia: --lock massless fixes it"
                                             : " move no mass and no inertia: --lock massless fixes them");
}

std::string with_massless_advice(const std::string& why, const Model& model) {
  const std::string advice = massless_advice(model);
  return advice.empty() ? why : why + "; " + advice;
}

}  // namespace sparsedyn::cli
