// What describes a generated function: CasADi's questions about it, and its manifest.
#pragma once

#include <string>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// NAME_n_in … NAME_work; `@` stands for NAME. `single`: of floats, so that CasADi is refused.
std::string emit_casadi_interface(const Program& program, bool single);

/// NAME.json: function, inputs, outputs, flops, and the lists of the options; where branches are lanes (`executed` is not
/// nullptr), flops_in_lanes too.
std::string emit_manifest(const Program& program, const std::string& name, const OperationCounts& counts,
                          const OperationCounts* executed, const EmitOptions& options);

}  // namespace sparsedyn
