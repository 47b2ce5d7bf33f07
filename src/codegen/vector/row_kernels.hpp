// The kernels of a RowProgram, recorded.
#pragma once

#include "model/minimal_tree.hpp"
#include "row_program.hpp"
#include "sparsedyn/codegen/recorder.hpp"

namespace sparsedyn {

/// Rows of the constants of a body: m, h, Σ, whether it turns, whether it slides, and the mass from it on.
constexpr int body_rows = 13;

/// places, first, and the kernels that take these; tree: of own axes, in metres and not balanced.
void record_kernels(const Model& model, const MinimalTree& tree, RowProgram& rows);

}  // namespace sparsedyn
