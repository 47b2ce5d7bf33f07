// sd.generate and compiled programs.
#pragma once

#include "numpy.hpp"

namespace sparsedyn::python {

void bind_program(nb::module_& m);

}  // namespace sparsedyn::python
