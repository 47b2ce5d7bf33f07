// What inverse dynamics can tell of the parameters, in words.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {

struct BaseParameterText {
  std::vector<int> independent;  // their columns of the regressor, upwards
  std::vector<std::string> expressions;
  std::string found_by;  // rules on the tree
};
BaseParameterText base_parameter_text(const Model& model);

}  // namespace sparsedyn::cli
