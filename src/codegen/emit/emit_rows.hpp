// The functions of a RowProgram, in C with vector extensions.
#pragma once

#include <string>

#include "codegen/vector/row_program.hpp"

namespace sparsedyn {

/// What loads and stores lanes, for any file that has vector extensions.
std::string emit_row_helpers();

/// @_together, as `parameters` say: in_…, out_…, sine, cosine. `silenced`: names them all.
std::string emit_rows(const Program& program, const std::string& parameters, const std::string& silenced);

}  // namespace sparsedyn
