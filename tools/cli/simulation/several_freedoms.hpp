// Joints of several freedoms, whose motion does not add up freedom by freedom.
#pragma once

#include <vector>

#include "sparsedyn/model/detail/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn::cli {

/// Their bodies, with the entries of the robot's q and v. None of them follows another joint, nor leads one.
inline std::vector<Body> bodies_of_several_freedoms(const Model& model) {
  std::vector<Body> found;
  for (Body body : model.tree().bodies) {
    if (freedoms(body.joint) < 2) continue;
    if (const CoordinateMap* map = model.coordinate_map.get()) {
      body.q = map->q[static_cast<std::size_t>(body.q)].index;
      body.v = map->v[static_cast<std::size_t>(body.v)].index;
    }
    found.push_back(body);
  }
  return found;
}

}  // namespace sparsedyn::cli
