// sparsedyn.live: the loop of a live run.
#pragma once

#include "numpy.hpp"

namespace sparsedyn::python {

void bind_live(nb::module_& m);

}  // namespace sparsedyn::python
