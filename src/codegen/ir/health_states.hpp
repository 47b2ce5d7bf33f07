// States at which a generated program's pivots are measured.
#pragma once

#include <vector>

#include "codegen/ir/pivot_health.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Random states, and those with all joints at quarter turns: `q` of the model, the other inputs normal, of order one. Always
/// the same ones.
std::vector<ProgramState> health_states(const Model& model, const Program& program);

}  // namespace sparsedyn
