#include "moved_mass.hpp"

#include <algorithm>

namespace sparsedyn::inspection {

double moved_mass(const Model& model, const std::vector<std::string>& joints) {
  std::vector<char> moves(model.links.size(), 0);
  double mass = 0;
  for (std::size_t k = 0; k < model.links.size(); ++k) {  // parents first
    const Link& link = model.links[k];
    const bool own = std::count(joints.begin(), joints.end(), link.joint) > 0;
    moves[k] = own || (link.parent >= 0 && moves[static_cast<std::size_t>(link.parent)]);
    if (moves[k]) mass += link.inertia.m;
  }
  return mass;
}

}  // namespace sparsedyn::inspection
