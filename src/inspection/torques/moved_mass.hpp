// The mass that joints move.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::inspection {

/// The mass of all links behind any of these joints (kg), also of joints that are held, each link counted once.
double moved_mass(const Model& model, const std::vector<std::string>& joints);

}  // namespace sparsedyn::inspection
