// The values of robot files.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sparsedyn/json/document.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::json {

/// A list of N numbers.
template <std::size_t N>
std::array<double, N> list_of(const Node& node) {
  const std::vector<double> x = node.numbers();
  if (x.size() != N)
    node.refuse("a list of " + std::to_string(x.size()) + " numbers", "a list of " + std::to_string(N) + " numbers");
  std::array<double, N> out{};
  for (std::size_t k = 0; k < N; ++k) out[k] = x[k];
  return out;
}
Vec3<double> vector_of_three(const Node& node);

/// {"rotation": nine numbers, row by row, "xyz": …}; without one it is no turn, no shift. The rotation's columns are
/// orthonormal within 1e-6.
Pose<double> pose_of(const Node& node);

/// A joint's kind by its name.
JointKind joint_kind(const Node& node);

/// Refuses bodies that do not make a joint of that kind: one of that type, two revolute ones (universal), any that move
/// (composite).
void check_bodies(const Node& node, const std::vector<Node>& bodies, JointKind kind);

/// {"lower", "upper", "velocity", "effort"}; infinite where nothing is said.
JointLimits read_limits(const Node& node);

/// {"shape": "mesh", "file", "scale"}, {"shape": "box", "size"}, {"shape": "sphere", "radius"}, {"shape": "cylinder" or
/// "capsule", "radius", "length"}, each with "name" and "pose" where it has them.
VisualShape read_visual(const Node& node);

}  // namespace sparsedyn::json
