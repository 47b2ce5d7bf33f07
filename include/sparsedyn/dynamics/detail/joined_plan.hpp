// Where the coordinates that several joints read are open in the articulated-body algorithm (joined_elimination.hpp), and what
// it leaves of them.
#pragma once

#include <vector>

#include "sparsedyn/model/detail/coordinate_map.hpp"

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

  explicit JoinedPlan(const Model& model);

 private:
  void hand_on(int parent, const std::vector<int>& leaving, const std::vector<int>& counts,
               std::vector<std::vector<int>>& arriving, std::vector<std::vector<int>>& below);
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
