// Constraints from a file:
//   {"name": "standing", "parameters": {"cone": "elliptic", "impratio": 1, "timestep": 0.002},
//    "constraints": [{"name": "left", "type": "contact", "link": "l_foot", "points": [[0.1, 0, -0.09]], "friction": 0.8}]}
#pragma once

#include <string>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// The set in the file at `path` (`-`: the standard input). Throws InputError, with the file's line and the nearest names, for
/// what is no such file, and for links and joints that the robot lacks, that cannot move as they should, or numbers out of
/// range.
ConstraintSet load_constraint_set(const std::string& path, const Model& model);

/// The same from a text; messages call it `file`.
ConstraintSet parse_constraint_set(const std::string& text, const std::string& file, const Model& model);

}  // namespace sparsedyn
