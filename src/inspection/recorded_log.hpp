// A log as inspect() takes it: all its columns of numbers at once.
#pragma once

#include <string>

#include "sparsedyn/inspection/inspect.hpp"

namespace sparsedyn {

/// The CSV file at `path`; messages call it `name`. `most`: rows that are read, 0 for all. What is no number, nan, NA and null
/// included, is a gap; text is an InputError.
RecordedLog recorded_log(const std::string& path, const std::string& name, long most = 0);

}  // namespace sparsedyn
