// sd.Tracker, sd.smooth.
#pragma once

#include "numpy.hpp"

namespace sparsedyn::python {

void bind_tracker(nb::module_& m);

}  // namespace sparsedyn::python
