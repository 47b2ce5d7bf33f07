#include "sparsedyn/dynamics/detail/joined_plan.hpp"

#include <algorithm>

namespace sparsedyn {

JoinedPlan::JoinedPlan(const Model& model) {
  if (!model.coordinate_map) return;
  const CoordinateMap& map = *model.coordinate_map;
  const std::vector<Body>& tree = map.tree.bodies;
  std::vector<int> left;  // by coordinate: readers that are not yet below
  for (const std::vector<int>& joined : map.joined) left.push_back(static_cast<int>(joined.size()));
  std::vector<std::vector<int>> arriving(tree.size()), below(tree.size());  // below: readers, by coordinate
  bodies.resize(tree.size());
  for (std::size_t i = tree.size(); i-- > 0;) {
    AtBody& at = bodies[i];
    if (below[i].empty()) below[i].assign(left.size(), 0);
    const int c = freedoms(tree[i].joint) == 1 ? map.v[static_cast<std::size_t>(tree[i].v)].index : -1;
    const bool reads = c >= 0 && left[static_cast<std::size_t>(c)] > 1;
    const auto all_below = [&](int k) { return below[i][static_cast<std::size_t>(k)] == left[static_cast<std::size_t>(k)]; };
    std::vector<int> leaving;
    for (int k : arriving[i]) (all_below(k) ? at.open : leaving).push_back(k);
    at.closing = static_cast<int>(at.open.size());
    if (reads) {
      ++below[i][static_cast<std::size_t>(c)];
      leaving.erase(std::remove(leaving.begin(), leaving.end(), c), leaving.end());
      at.closes_own = all_below(c);
      at.own = at.closing + static_cast<int>(leaving.size());
    }
    at.open.insert(at.open.end(), leaving.begin(), leaving.end());
    if (reads) at.open.push_back(c);
    if (reads && !at.closes_own) leaving.push_back(c);
    at.slot = slots, at.share = shares;
    slots += static_cast<int>(at.open.size()), shares += static_cast<int>(at.open.size()) * freedoms(tree[i].joint);
    pass_to_parent(tree[i].parent, leaving, below[i], arriving, below);
  }
}

/// The coordinates that leave a body open arrive at its parent, or close at the world.
void JoinedPlan::pass_to_parent(int parent, const std::vector<int>& leaving, const std::vector<int>& counts,
                                std::vector<std::vector<int>>& arriving, std::vector<std::vector<int>>& below) {
  std::vector<int>& to = parent < 0 ? last : arriving[static_cast<std::size_t>(parent)];
  for (int k : leaving)
    if (std::find(to.begin(), to.end(), k) == to.end()) to.push_back(k);
  if (parent < 0) return;
  std::vector<int>& sum = below[static_cast<std::size_t>(parent)];
  sum.resize(counts.size(), 0);
  for (std::size_t k = 0; k < counts.size(); ++k) sum[k] += counts[k];
}

}  // namespace sparsedyn
