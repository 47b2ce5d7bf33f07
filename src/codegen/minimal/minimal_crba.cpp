#include "minimal_crba.hpp"

#include "sparsedyn/dynamics/workspace.hpp"

namespace sparsedyn {
namespace {

template <class Body>
std::vector<int> parents_of(const std::vector<Body>& bodies, int nv) {
  std::vector<int> parent(static_cast<std::size_t>(nv), -1);
  for (const Body& b : bodies) {
    if (b.parent >= 0) parent[b.v] = bodies[b.parent].v + freedoms(bodies[b.parent].joint) - 1;
    for (int k = 1; k < freedoms(b.joint); ++k) parent[b.v + k] = b.v + k - 1;
  }
  return parent;
}

}  // namespace

std::vector<int> freedom_parents(const MinimalTree& tree) { return parents_of(tree.bodies, tree.nv); }
std::vector<int> freedom_parents(const Model& model) { return parent_freedoms(model); }

}  // namespace sparsedyn
