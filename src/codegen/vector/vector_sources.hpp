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
enum class VectorOrder { free, by_time };

class VectorSources {
 public:
  VectorSources(const std::vector<Node>& nodes, const IsomorphicOperations& calls, const std::vector<std::vector<Ref>>& results,
                VectorOrder order);

  /// The first call that gave this vector (its first lane that is not zero is positive); by time, if it came before `time`.
  /// Even if its lanes were all known before: one operation more is less than bringing them together.
  std::optional<IsomorphicOperation> maker(const VectorRefs& x, std::size_t time) const;

  /// For a number that is wanted: the first vector that holds it, by time the one that brought it, and its lane there, if that
  /// vector's lanes are different and wanted: most of them by time, else most of them different and all wanted. Or nullptr.
  const std::pair<VectorRefs, std::size_t>* home(int node) const;

  /// An operation that gives the number: that of the graph, unless this needs what came later.
  Call operation(int node) const;

 private:
  bool given(int node) const;
  bool worth_a_home(const VectorRefs& x, const std::vector<bool>& wanted) const;

  const std::vector<Node>& nodes_;
  const IsomorphicOperations& calls_;
  VectorOrder order_;
  std::vector<IsomorphicOperations::First> first_;  // of each node
  std::map<VectorRefs, std::size_t, VectorLess> makers_{less};
  std::map<int, std::pair<VectorRefs, std::size_t>> homes_;
};

}  // namespace sparsedyn
