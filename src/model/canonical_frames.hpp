// Canonical frames of a tree of bodies.
#pragma once

#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// For each body its canonical frame in its own at q = 0, from what is next to it alone: how far the body is from the world
/// does not matter. On a revolute joint a turn about the axis and a shift along it. The frames of the bodies in `varying` do
/// not depend on the bodies' own masses; those in `unturned` keep the axes, those in `unshifted` the origin.
struct FrameExceptions {
  std::vector<int> varying, unturned, unshifted;
};
std::vector<Pose<long double>> canonical_frames(const Model& model, const FrameExceptions& except = {});

}  // namespace sparsedyn
