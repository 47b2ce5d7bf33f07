// Where the coordinates that several joints read are open in the articulated-body algorithm (joined_elimination.hpp), and what
// it leaves of them.
#pragma once

#include <algorithm>
#include <vector>

#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {

/// Where coordinates are open. Found once for a model.
struct JoinedPlan {
  /// Of one body: the coordinates that are open there, first those that close before its joint, then those that go on to the
  /// parent, last its own, where that closes with its joint.
  struct AtBody {
    std::vector<int> open;
    int closing = 0;  // how many close before its joint
    int own = -1;     // place in `open` of the coordinate that its joint reads with others, or -1
    bool closes_own = false;
    int slot = 0, share = 0;  // where its open coordinates' wrenches, and its freedoms' shares in them, are kept
  };
  std::vector<AtBody> bodies;  // none where no joints are coupled
  std::vector<int> last;       // coordinates that close at the world
  int slots = 0, shares = 0;

  explicit JoinedPlan(const Model& model) {
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
      hand_on(tree[i].parent, leaving, below[i], arriving, below);
    }
  }

 private:
  void hand_on(int parent, const std::vector<int>& leaving, const std::vector<int>& counts,
               std::vector<std::vector<int>>& arriving, std::vector<std::vector<int>>& below) {
    std::vector<int>& to = parent < 0 ? last : arriving[static_cast<std::size_t>(parent)];
    for (int k : leaving)
      if (std::find(to.begin(), to.end(), k) == to.end()) to.push_back(k);
    if (parent < 0) return;
    std::vector<int>& sum = below[static_cast<std::size_t>(parent)];
    sum.resize(counts.size(), 0);
    for (std::size_t k = 0; k < counts.size(); ++k) sum[k] += counts[k];
  }
};

/// What eliminations with open coordinates leave. Allocated once for a model; one a thread.
template <class S>
struct JoinedWorkspace {
  explicit JoinedWorkspace(const Model& model)
      : plan(model),
        n(plan.bodies.empty() ? 0 : model.nv),
        wrench(static_cast<std::size_t>(plan.slots)),
        share(static_cast<std::size_t>(plan.shares), S(0.0)),
        D(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), S(0.0)),
        inverse(static_cast<std::size_t>(n), S(0.0)),
        u(inverse),
        size(inverse) {}
  S& mixed(int k, int l) { return D[static_cast<std::size_t>(k * n + l)]; }
  JoinedPlan plan;
  int n;
  std::vector<Force<S>> wrench;     // B of each body's open coordinates, in its frame; of a closed one its U
  std::vector<S> share;             // Sᵀ B, by freedom and open coordinate
  std::vector<S> D;                 // n × n
  std::vector<S> inverse, u, size;  // by coordinate: 1 / D, what drives it, and what its D is summed from
};

}  // namespace sparsedyn
