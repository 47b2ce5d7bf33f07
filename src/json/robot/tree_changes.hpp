// Joints held, links cut off and roots let go, of a robot that is read already.
#pragma once

#include <map>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// By index in the model's joints and links.
struct TreeChanges {
  bool floating = false;       // a root that is fixed floats
  std::map<int, double> hold;  // joint, value; with several freedoms only at 0: its bodies stand at their placements
  std::vector<bool> cut;       // by link; all below a link that is cut is cut too
};

/// Of a robot in which every joint is on its own. What does not change keeps its bits. Cost: proportional to the robot.
Model changed_tree(const Model& tree, const TreeChanges& changes);

}  // namespace sparsedyn
