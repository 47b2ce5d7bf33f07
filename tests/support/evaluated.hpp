// A program run once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn::test {

/// Its outputs, a vector a port, for inputs by their ports' names.
std::vector<std::vector<double>> evaluated(const Program& program, const std::map<std::string, const double*>& inputs);

}  // namespace sparsedyn::test
