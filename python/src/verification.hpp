// A robot's algorithms beside each other.
#pragma once

#include "numpy.hpp"

namespace sparsedyn::python {

void bind_verification(nb::module_& m);

}  // namespace sparsedyn::python
