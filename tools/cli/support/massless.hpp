// What is said of joints that move nothing.
#pragma once

#include <string>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {

/// "wrist moves no mass and no inertia: --lock massless fixes it", or nothing where there is no such joint.
std::string massless_advice(const Model& model);

/// Why a state is singular, with that advice.
std::string with_massless_advice(const std::string& why, const Model& model);

}  // namespace sparsedyn::cli
