#include "isomorphic_subtrees.hpp"

#include <algorithm>
#include <map>

namespace sparsedyn {
namespace {

/// What two branches must share: for each body the joint and the parent, counted from the branch's first.
using Shape = std::vector<std::pair<BodyJoint, int>>;

/// Empty where the branch's bodies are no neighbours, as in a Model that is not numbered depth first.
Shape shape(const Model& model, int first, int bodies) {
  Shape s;
  for (int i = first; i < first + bodies; ++i) {
    if (i > first && model.bodies[i].parent < first) return {};
    s.push_back({model.bodies[i].joint, i == first ? -1 : model.bodies[i].parent - first});
  }
  return s;
}

std::vector<int> subtree_sizes(const Model& model) {
  std::vector<int> size(model.bodies.size(), 1);
  for (std::size_t i = size.size(); i-- > 0;)
    if (model.bodies[i].parent >= 0) size[model.bodies[i].parent] += size[i];
  return size;
}

/// Whether each joint is of one body, so that bodies and joints can change places together.
bool one_body_a_joint(const Model& model) { return model.bodies.size() == model.joints.size(); }

}  // namespace

std::vector<IsomorphicSubtrees> isomorphic_subtrees(const Model& model, int many) {
  std::vector<IsomorphicSubtrees> found;
  if (!one_body_a_joint(model) || !model.physics.empty()) return found;  // what joints add stays at its place in v
  const std::vector<int> size = subtree_sizes(model);
  const int n = static_cast<int>(model.bodies.size());
  std::vector<bool> inside(model.bodies.size(), false);  // a branch found so far
  for (int parent = -1; parent < n; ++parent) {
    std::map<Shape, std::vector<int>> alike;
    for (int i = parent + 1; i < n; ++i)
      if (model.bodies[i].parent == parent && !inside[i]) alike[shape(model, i, size[i])].push_back(i);
    for (const auto& [joints, first] : alike) {
      if (joints.empty() || static_cast<int>(first.size()) != many) continue;
      const int bodies = static_cast<int>(joints.size());
      found.push_back({first, bodies});
      for (int i : first) std::fill_n(inside.begin() + i, bodies, true);
    }
  }
  return found;
}

Model changed_places(const Model& model, const std::vector<IsomorphicSubtrees>& branches, int by) {
  Model turned = model;
  for (const IsomorphicSubtrees& e : branches)
    for (std::size_t k = 0; k < e.first.size(); ++k) {
      const std::size_t other = (k + static_cast<std::size_t>(by)) % e.first.size();
      for (int i = 0; i < e.bodies; ++i) {
        const int place = e.first[k] + i, from = e.first[other] + i;
        Body& body = turned.bodies[place] = model.bodies[from];
        body.parent = model.bodies[place].parent, body.q = model.bodies[place].q, body.v = model.bodies[place].v;
        turned.joints[place].name = model.joints[from].name;
      }
    }
  return turned;
}

}  // namespace sparsedyn
