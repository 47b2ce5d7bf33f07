// The same program in an order in which few values are alive at once. A vector that does not stay in a register costs two
// instructions of the longest kind, and long texts run as fast as their bytes are read.
#pragma once

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// Operations of the body in another order, and the angles in that of their first use. Cost: n log n for n operations, and
/// where there are fewer results than inputs n for each pair of results.
Program with_low_register_pressure(const Program& program);

}  // namespace sparsedyn
