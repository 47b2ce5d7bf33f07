// sd.generate and compiled programs.
#pragma once

#include "numpy.hpp"

namespace sparsedyn::python {

/// sd.generate: texts and operations.
void bind_generated(nb::module_& m);
/// CompiledFunction, BoundFunction.
void bind_program(nb::module_& m);

}  // namespace sparsedyn::python
