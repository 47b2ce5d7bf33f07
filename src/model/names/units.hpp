// Units of columns of logs: of what `solve` and `identify` write.
#pragma once

#include <string>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// "N m", "m/s²", …; empty where the column's name says nothing.
std::string unit_of(const Model& model, const std::string& column);

}  // namespace sparsedyn
