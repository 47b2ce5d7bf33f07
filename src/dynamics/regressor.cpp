#include "sparsedyn/dynamics/regressor.hpp"

namespace sparsedyn {

ParameterIndex::ParameterIndex(const Model& model) : count(10 * static_cast<int>(model.joints.size())) {
  const Model& tree = model.tree();
  for (const Joint& joint : tree.joints) {
    of_joints.push_back(joint.nv == 1 ? count : -1);
    counts.push_back(joint.nv != 1 ? 0 : physics_of(tree, joint.v).stiffness ? 5 : 4);
    count += counts.back();
  }
}

std::vector<std::string> parameter_names(const Model& robot) {
  const Model& model = robot.tree();
  std::vector<std::string> names;
  for (const Joint& joint : model.joints)
    for (const char* part : {".m", ".mx", ".my", ".mz", ".Ixx", ".Ixy", ".Iyy", ".Ixz", ".Iyz", ".Izz"})
      names.push_back(model.links[static_cast<std::size_t>(joint.child_link)].name + part);
  for (const Joint& joint : model.joints) {
    if (joint.nv != 1) continue;
    for (const char* part : {".armature", ".damping", ".friction", ".offset"}) names.push_back(joint.name + part);
    if (physics_of(model, joint.v).stiffness) names.push_back(joint.name + ".stiffness");
  }
  return names;
}

std::vector<double> parameters(const Model& robot) {
  const Model& model = robot.tree();
  std::vector<double> pi(static_cast<std::size_t>(ParameterIndex(model).count), 0.0);
  double* at = pi.data();
  for (const Joint& joint : model.joints) {
    const Pose<double>& link = model.links[static_cast<std::size_t>(joint.child_link)].pose;
    for (double each : detail::ten_numbers(to_parent(inverse(link), model.bodies[detail::last_body(joint)].inertia)))
      *at++ = each;
  }
  for (const Joint& joint : model.joints) {
    if (joint.nv != 1) continue;
    const JointPhysics p = physics_of(model, joint.v);
    for (double each : {p.armature, p.damping, p.friction, p.offset}) *at++ = each;
    if (p.stiffness) *at++ = *p.stiffness;
  }
  return pi;
}

#define SPARSEDYN_DEFINE(S)                                                                                              \
  template void regressor(const Model&, RegressorWorkspace<S>&, const S*, const S*, const S*, S*) noexcept;              \
  template void regressor_transposed_times(const Model&, RegressorWorkspace<S>&, const S*, const S*, const S*, const S*, \
                                           S*) noexcept;                                                                 \
  template void regressor_times(const Model&, RegressorWorkspace<S>&, const S*, const S*, const S*, const S*, S*) noexcept;
SPARSEDYN_FOR_EACH_REAL(SPARSEDYN_DEFINE)

}  // namespace sparsedyn
