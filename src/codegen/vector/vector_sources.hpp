// Where the vectors and numbers of a recording come from.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "isomorphic_operations.hpp"

namespace sparsedyn {

/// Constants and inputs; sines and cosines, which are taken before everything else.
bool is_leaf(const Node& node);

/// Whether what the graph found equal is taken from where it came first of all. Then nothing needs itself. Else it may be taken
/// from a later place that suits better, or turn out to need itself; among branches that have changed places it never does.
enum class LaneOrder { free, by_time };

class LaneSources {
 public:
  LaneSources(const std::vector<Node>& nodes, const LaneCalls& calls, const std::vector<std::vector<Ref>>& results,
              LaneOrder order);

  /// The first call that gave this vector (its first lane that is not zero is positive); by time, if it came before `time`.
  /// Even if its lanes were all known before: one operation more is less than bringing them together.
  std::optional<LaneCall> maker(const LaneRefs& x, std::size_t time) const;

  /// For a number that is wanted: the first vector that holds it, by time the one that brought it, and its lane there, if that
  /// vector's lanes are different and wanted: most of them by time, else most of them different and all wanted. Or nullptr.
  const std::pair<LaneRefs, std::size_t>* home(int node) const;

  /// An operation that gives the number: that of the graph, unless this needs what came later.
  Call operation(int node) const;

 private:
  bool given(int node) const;
  bool worth_a_home(const LaneRefs& x, const std::vector<bool>& wanted) const;

  const std::vector<Node>& nodes_;
  const LaneCalls& calls_;
  LaneOrder order_;
  std::vector<LaneCalls::First> first_;  // of each node
  std::map<LaneRefs, std::size_t, LaneLess> makers_{less};
  std::map<int, std::pair<LaneRefs, std::size_t>> homes_;
};

}  // namespace sparsedyn
