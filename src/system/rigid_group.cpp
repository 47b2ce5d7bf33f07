#include "sparsedyn/system/rigid_group.hpp"

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

RigidGroup rigid_group_behind(const System& system, int link) {
  const Model& model = system.model();
  RigidGroup rigid_group{zero_inertia<double>(), {}, {}};
  std::vector<char> inside(model.links.size(), 0);
  for (int l = link; l < static_cast<int>(model.links.size()); ++l) {
    const Link& candidate = model.links[l];
    inside[l] = l == link || (candidate.moving_joint < 0 && candidate.parent >= 0 && inside[candidate.parent]);
    if (!inside[l]) continue;
    rigid_group.links.push_back(l);
    rigid_group.inertia = rigid_group.inertia + to_parent(system.link_in_leading(l), candidate.inertia);
  }
  for (const Joint& joint : model.joints)
    if (joint.parent_link >= 0 && inside[joint.parent_link]) rigid_group.bodies.push_back(joint.first_body);
  return rigid_group;
}

}  // namespace sparsedyn
