// Coupled coordinates (mimic joints) in the articulated-body algorithm. A coordinate that moves several joints cannot be
// eliminated at one of them. It stays open, that is not yet eliminated, from those joints up to the body where their branches
// meet, and closes there. This file says where each coordinate is open and stores what the elimination leaves
// (joined_elimination.hpp).
#pragma once

#include <vector>

#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {

/// Where coordinates are open. Computed once for a model.
struct JoinedPlan {
  /// The coordinates that are open at one body. First come those that close before the body's joint is eliminated, then those
  /// that stay open at the parent, and last the coordinate of the body's own joint, if it closes with that joint.
  struct AtBody {
    std::vector<int> open;
    int closing = 0;  // how many close before the body's joint
    int own = -1;     // place in `open` of the coordinate that the body's joint shares with other joints, or -1
    bool closes_own = false;
    int slot = 0, share = 0;  // first place of the open coordinates' wrenches, and of the joint freedoms' shares in them
  };
  std::vector<AtBody> bodies;  // none where no joints are coupled
  std::vector<int> last;       // coordinates that close at the world
  int slots = 0, shares = 0;

  explicit JoinedPlan(const Model& model);

 private:
  void pass_to_parent(int parent, const std::vector<int>& leaving, const std::vector<int>& counts,
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
