// Which freedoms start and travel towards the base together. What a freedom sends to its ancestors is carried by the same
// rotations and shifts as what its neighbours send: four of them side by side fill the lanes of one vector operation.
#pragma once

#include <array>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Freedoms (entries of v) that travel alone from their bodies to the frame of body `junction`, which is above them all, and
/// from there side by side; where `junction` is −1, alone to the world.
struct ForceColumnGroup {
  int junction;
  int count;                         // different ones, 1 to 4
  std::array<int, 4> freedom, body;  // the last repeated
};

struct ForceColumnPlan {
  std::vector<std::array<int, 4>> revolute;  // all bodies on revolute joints, the last of them repeated
  std::vector<ForceColumnGroup> groups;      // all freedoms of bodies that hang on others, each in one group
};

/// Four freedoms meet as soon as a body carries four that have not met.
ForceColumnPlan force_column_plan(const Model& model);

}  // namespace sparsedyn
