#include "base_parameters.hpp"

#include <numeric>

#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn::cli {

BaseParameterText base_parameter_text(const Model& model) {
  const std::vector<std::string> names = parameter_names(model);
  std::vector<int> all(names.size());
  std::iota(all.begin(), all.end(), 0);
  const BaseParameters base = base_parameters_by_rules(model, all);
  BaseParameterText text{base.independent, {}, "rules"};
  for (std::size_t k = 0; k < base.independent.size(); ++k)
    text.expressions.push_back(base.expression(static_cast<int>(k), names));
  return text;
}

}  // namespace sparsedyn::cli
