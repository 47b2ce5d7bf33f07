// Canonical frames of a tree of bodies.
#pragma once

#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// For each body its canonical frame as a pose in the world at q = 0.
std::vector<Pose<double>> canonical_frames(const Model& model);

/// For each body its own frame in the world at q = 0.
std::vector<Pose<double>> zero_poses(const Model& model);

}  // namespace sparsedyn
