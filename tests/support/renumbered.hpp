// One robot as two Models: its links given to ModelBuilder depth first, as a file's are, and in another order that has parents
// first. Results must be the same numbers in other places.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"
#include "states.hpp"

namespace sparsedyn::test {

enum class LinkOrder { breadth_first, any };

struct RenumberOptions {
  bool floating = false;
  LinkOrder order = LinkOrder::breadth_first;
  int legs = 0;  // 0: a random tree; else so many chains on the root, alike but for where they begin
  std::vector<JointKind> kinds = {JointKind::revolute, JointKind::prismatic};
};

struct Renumbered {
  Model depth_first, other;
  // where entries of q and v, bodies and links of `depth_first` are in `other`
  std::vector<int> q, v, body, link;
};

/// With n joints, some of them fixed where `kinds` says so. A seed means one robot.
Renumbered renumbered(int n, unsigned seed, const RenumberOptions& options);

/// The same state of `other`.
State of_other(const Renumbered& robot, const State& s);

/// Numbers with one letter an axis: v (an entry of v) or 6 (components of a spatial vector).
struct Indexed {
  std::string axes;
  std::vector<double> values;
};

/// Results of `depth_first` in the numbers of `other`.
Indexed in_numbers_of_other(const Renumbered& robot, const Indexed& x);

}  // namespace sparsedyn::test
