// The library's failures as Python's exceptions.
#pragma once

#include <string>
#include <vector>

#include "batch.hpp"

namespace sparsedyn::python {

/// sparsedyn._errors.NAME and sparsedyn._results.NAME.
nb::object error_type(const char* name);
nb::object result_type(const char* name);

/// Raises SolveError with `.rows` and `.messages`.
[[noreturn]] void raise_solve_error(const std::vector<Failure>& failures, npy_intp rows);

/// A Python warning of the kind that `warnings.filterwarnings` knows as sparsedyn.SparsedynWarning.
void warn(const std::string& text);

/// A line on Python's stderr, for what is worth knowing and needs no care.
void note(const std::string& text);

/// InputError, AnswerIsNo, UsageError and the rest, wherever they come from.
/// What the library says to users of the command line, in Python's words: `--lock elbow: …` as `lock=elbow: …`, `--lenient`
/// as `lenient=True`.
std::string spoken(const std::string& text);

void register_errors();

}  // namespace sparsedyn::python
