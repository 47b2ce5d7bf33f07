// A program as a static function of C, a stage of a larger function written by hand.
#pragma once

#include <string>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// The text of `static void @_STAGE(in_PORT, …, out_PORT, …)`: pointers to the vectors in the order of the program's ports,
/// none null, none overlapping. `@` stands for the name of the whole, whose header has @_sincos.
std::string stage_function(const Program& program, const std::string& stage, int largest_part);

/// Likewise `@_lanes_STAGE` on arrays of @_real, a sample in each lane. No lane has any bearing on another.
std::string lanes_stage_function(const Program& program, const std::string& stage, int largest_part);

}  // namespace sparsedyn
