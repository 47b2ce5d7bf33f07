// What stands on top of NAME.h for who calls it.
#pragma once

#include <string>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// A comment: inputs and outputs with lengths, units, names and layout, and how NAME is called with numbers of this type. Ends
/// with a line's end.
std::string usage_comment(const Program& program, const std::string& name, const std::string& type);

}  // namespace sparsedyn
