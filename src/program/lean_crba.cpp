#include "sparsedyn/program/lean_crba.hpp"

namespace sparsedyn {

std::vector<int> freedom_parents(const LeanTree& tree) {
  std::vector<int> parent(static_cast<std::size_t>(tree.nv), -1);
  for (const LeanBody& b : tree.bodies) {
    if (b.parent >= 0) {
      const LeanBody& up = tree.bodies[b.parent];
      parent[b.v] = up.v + freedoms(up.joint) - 1;
    }
    for (int k = 1; k < freedoms(b.joint); ++k) parent[b.v + k] = b.v + k - 1;
  }
  return parent;
}

}  // namespace sparsedyn
