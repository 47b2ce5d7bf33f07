// What a link looks like: names for those who draw it. No algorithm reads these.
#pragma once

#include <string>

#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

/// A shape of a URDF's <visual>.
struct VisualShape {
  std::string name;                             // of the element; empty where it has none
  std::string shape;                            // "mesh", "box", "sphere", "cylinder" or "capsule"
  std::string file;                             // mesh: as the URDF has it, for example package://robot/meshes/arm.stl
  Vec3<double> size{{1, 1, 1}};                 // mesh: scale along its axes; box: edges, m; else radius, length, 0, m
  Pose<double> pose = identity_pose<double>();  // in the link's frame
};

}  // namespace sparsedyn
