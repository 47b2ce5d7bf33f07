// The pass that finds what one sample's program does several times alike, and makes it lanes of vectors.
#pragma once

#include "codegen/minimal/minimal_formulation.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// `program` is that of the formulation `f` (program_in). Isomorphic branches of the robot, or freedoms that are treated alike,
/// become lanes where this saves instructions. To find them the pass records again, also the model with its branches in other
/// places.
VectorisedProgram vectorised(const Model& model, const MinimalFormulation& f, const RecordMinimal& record,
                             const Program& program);

}  // namespace sparsedyn
