#include "fitted_joints.hpp"

#include <algorithm>

#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {

std::map<std::string, JointPhysics> fitted_joints(const Model& robot, const Identification& x) {
  const Model& model = robot.tree();
  const ParameterIndex index(model);
  std::map<std::string, JointPhysics> joints;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (index.of_joints[j] < 0) continue;
    JointPhysics physics = physics_of(model, model.joints[j].v);
    const auto first = static_cast<std::size_t>(index.of_joints[j]), count = static_cast<std::size_t>(index.counts[j]);
    const double* const number = &x.value[first];
    physics.armature = number[0], physics.damping = number[1], physics.friction = number[2], physics.offset = number[3];
    if (count > 4) physics.stiffness = number[4];
    const bool fitted = std::any_of(&x.sd[first], &x.sd[first] + count, [](double sd) { return sd > 0; });
    if (fitted || !physics.none()) joints.emplace(model.joints[j].name, physics);
  }
  return joints;
}

}  // namespace sparsedyn
