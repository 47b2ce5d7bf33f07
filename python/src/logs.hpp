// Logs: what a set reads of them, and derivatives of positions.
#pragma once

#include "model.hpp"
#include "numpy.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn::python {

/// For each entry of y: the log's columns, best first; whether one must be there; the number that stands in; its measurement.
nb::list input_columns(const System& system);

void bind_logs(nb::module_& m);

}  // namespace sparsedyn::python
