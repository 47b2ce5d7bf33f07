// sd.optimise and what a Plan shows.
#pragma once

#include "numpy.hpp"

namespace sparsedyn::python {

void bind_plan(nb::module_& m);

}  // namespace sparsedyn::python
