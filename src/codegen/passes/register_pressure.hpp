// The same program in an order that keeps few values at once. A vector that must leave its register costs two of the longest
// instructions, and long programs run as fast as the processor reads their bytes.
#pragma once

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// The body's operations in another order, the angles in the order of their first use. Cost: n log n for n operations; where
/// there are fewer results than inputs, also n for each pair of results.
Program with_low_register_pressure(const Program& program);

}  // namespace sparsedyn
