// For messages about names that a robot lacks.
#pragma once

#include <string>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// " (near: a, b)" of the robot's links, or nothing where none is near.
std::string near_links(const Model& model, const std::string& name);
/// The same of its joints that move.
std::string near_joints(const Model& model, const std::string& name);

}  // namespace sparsedyn
