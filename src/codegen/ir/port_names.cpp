#include "codegen/ir/port_names.hpp"

namespace sparsedyn {

std::vector<std::string> numbered(const std::string& name, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) names.push_back(name + "." + std::to_string(k));
  return names;
}

}  // namespace sparsedyn
