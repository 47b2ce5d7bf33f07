#include "loads.hpp"

#include <algorithm>

#include "io/suggestions.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {
namespace {

Load load_of(const Inertia<double>& I) {
  const Sym3<double>& s = I.moments;
  if (I.m != 0) return Load::mass;
  return s.xx != 0 || s.xy != 0 || s.xz != 0 || s.yy != 0 || s.yz != 0 || s.zz != 0 ? Load::inertia : Load::nothing;
}

}  // namespace

std::vector<Load> joint_loads(const Model& model) {
  std::vector<Load> bodies(model.bodies.size(), Load::nothing);  // of each and all below it
  for (std::size_t b = bodies.size(); b-- > 0;) {
    bodies[b] = std::min(bodies[b], load_of(model.bodies[b].inertia));
    if (const int up = model.bodies[b].parent; up >= 0) bodies[up] = std::min(bodies[up], bodies[b]);
  }
  // by entry of v, which several joints may read
  std::vector<Load> moved(static_cast<std::size_t>(model.nv), Load::nothing), joints;
  const auto entry = [&](const Joint& joint) -> Load& {
    return moved[static_cast<std::size_t>(entry_of(model, joint.v).index)];
  };
  for (const Joint& joint : model.tree().joints) entry(joint) = std::min(entry(joint), bodies[joint.first_body]);
  for (const Joint& joint : model.tree().joints) joints.push_back(entry(joint));
  return joints;
}

bool moves_mass(const Model& model) {
  return std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& b) { return b.inertia.m > 0; });
}

std::string massless_advice(const Model& model) {
  const std::vector<Load> loads = joint_loads(model);
  std::vector<std::string> names;
  for (std::size_t j = 0; j < loads.size(); ++j)
    if (loads[j] == Load::nothing && model.joints[j].parent_link >= 0) names.push_back(model.joints[j].name);
  if (names.empty()) return "";
  return listing(names) + (names.size() == 1 ? " moves no mass and no inertia: --lock massless fixes it"
                                             : " move no mass and no inertia: --lock massless fixes them");
}

std::string with_massless_advice(const std::string& why, const Model& model) {
  const std::string advice = massless_advice(model);
  return advice.empty() ? why : why + "; " + advice;
}

}  // namespace sparsedyn
