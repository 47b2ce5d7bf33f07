#include "loads.hpp"

#include <algorithm>

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
  std::vector<Load> joints;
  for (const Joint& joint : model.joints) joints.push_back(bodies[joint.first_body]);
  return joints;
}

}  // namespace sparsedyn
