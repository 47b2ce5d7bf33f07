// States at which a generated program's pivots are measured.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "codegen/ir/pivot_health.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Random states, and those with all joints at quarter turns: `q` of the model, the inputs in `nominal` at these values, the
/// others normal, of order one. Always the same ones.
std::vector<ProgramState> health_states(const Model& model, const Program& program,
                                        const std::vector<std::pair<std::string, std::vector<double>>>& nominal = {});

}  // namespace sparsedyn
