// Pages of HTML and their figures, for the package's reports.
#pragma once

#include "numpy.hpp"

namespace sparsedyn::python {

void bind_pages(nb::module_& m);

}  // namespace sparsedyn::python
