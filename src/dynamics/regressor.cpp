#include "sparsedyn/dynamics/regressor.hpp"

namespace sparsedyn {

ParameterIndex::ParameterIndex(const Model& model) : count(10 * static_cast<int>(model.joints.size())) {
  for (const Joint& joint : model.joints) {
    of_joints.push_back(joint.nv == 1 ? count : -1);
    if (joint.nv == 1) count += 4;
  }
}

std::vector<std::string> parameter_names(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints)
    for (const char* part : {".m", ".mx", ".my", ".mz", ".Ixx", ".Ixy", ".Iyy", ".Ixz", ".Iyz", ".Izz"})
      names.push_back(model.links[static_cast<std::size_t>(joint.child_link)].name + part);
  for (const Joint& joint : model.joints)
    for (const char* part : {".armature", ".damping", ".friction", ".offset"})
      if (joint.nv == 1) names.push_back(joint.name + part);
  return names;
}

std::vector<double> parameters(const Model& model) {
  std::vector<double> pi(static_cast<std::size_t>(ParameterIndex(model).count), 0.0);
  double* at = pi.data();
  for (const Joint& joint : model.joints) {
    const Pose<double>& link = model.links[static_cast<std::size_t>(joint.child_link)].pose;
    const Inertia<double> x = to_parent(inverse(link), model.bodies[detail::last_body(joint)].inertia);
    const Sym3<double> I = trace_minus(x.moments);
    for (double each : {x.m, x.h[0], x.h[1], x.h[2], I.xx, I.xy, I.yy, I.xz, I.yz, I.zz}) *at++ = each;
  }
  return pi;
}

#define SPARSEDYN_DEFINE(S)                                                                                              \
  template void regressor(const Model&, RegressorWorkspace<S>&, const S*, const S*, const S*, S*) noexcept;              \
  template void regressor_transposed_times(const Model&, RegressorWorkspace<S>&, const S*, const S*, const S*, const S*, \
                                           S*) noexcept;                                                                 \
  template void regressor_times(const Model&, RegressorWorkspace<S>&, const S*, const S*, const S*, const S*, S*) noexcept;
SPARSEDYN_FOR_EACH_SCALAR(SPARSEDYN_DEFINE)

}  // namespace sparsedyn
