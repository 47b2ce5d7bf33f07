// Operations of generated code, which planning compares where the component codegen is built.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/scalar/counting_scalar.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Of the program that `generate` writes. Throws std::invalid_argument in a library without the component codegen.
OperationCounts generated_counts(const System& system, const Plan& plan, const std::vector<std::string>& outputs);

}  // namespace sparsedyn
